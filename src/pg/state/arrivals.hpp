// Rows that arrive from other nodes with IDs of shards of this one, as triggers of tables that are watched count them.
#pragma once

#include <initializer_list>

#include "pg/postgres.hpp"

namespace idgen::pg {

// In shared memory, of one database.
struct Arrivals {
    pg_atomic_uint64 others;      // atomic; IDs that another node made (pg/state/own_ids.hpp)
    pg_atomic_uint64 perhaps;     // atomic; of shards of this node, that it may have made
    pg_atomic_uint64 last_id;     // atomic; the last that another node made
    pg_atomic_uint64 last_place;  // atomic; its table and the origin of its row: a place_of()

    void forget() noexcept {
        for (pg_atomic_uint64 *value : {&others, &perhaps, &last_id, &last_place}) pg_atomic_write_u64(value, 0);
    }
};

// A table and a replication origin in one word.
constexpr uint64 place_of(Oid table, uint16 origin) noexcept {
    return static_cast<uint64>(table) << 16 | origin;
}

constexpr Oid table_of(uint64 place) noexcept {
    return static_cast<Oid>(place >> 16);
}
constexpr uint16 origin_of(uint64 place) noexcept {
    return static_cast<uint16>(place);
}

}  // namespace idgen::pg
