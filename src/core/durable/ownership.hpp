// Whose shards a database makes IDs of. A copy of a database keeps the shards of its origin, and where both
// go on, both make the same IDs. A copy is seen by the system identifier in its record, which is another than
// the server's; it counts as one until the shards are confirmed, or their setting is another than the
// origin's.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/durable/durable_record.hpp"

namespace idgen {

// This server and the setting of its shards.
struct Owner {
    std::int64_t system_identifier;
    std::uint64_t shards;  // fingerprint of the setting
};

// Tells settings apart. Never change: on disk. FNV-1a.
constexpr std::uint64_t fingerprint(std::string_view text, std::uint64_t hash = 0xCBF29CE484222325) noexcept {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return hash;
}

// Whether the record is that of a copy which has not been confirmed.
constexpr bool is_copy(const DurableRecord &record, const Owner &owner) noexcept {
    return record.owner != 0 && record.owner != owner.system_identifier && record.shards == owner.shards;
}

// A record that says nothing of an owner, in a database that names another server as its origin (0: none).
constexpr DurableRecord with_origin(DurableRecord record, std::int64_t foreign, const Owner &owner) noexcept {
    if (record.owner != 0 || foreign == 0) return record;
    record.owner = foreign;
    record.shards = owner.shards;
    return record;
}

// Whether the record came along with the disk, from a server of another identity: neither was it written
// here, nor is it a restored dump's, which names no owner and nobody's identity.
constexpr bool is_inherited(const DurableRecord &record, std::int64_t identity) noexcept {
    return record.identity != identity && (record.owner != 0 || record.identity != 0);
}

// When a system identifier was drawn, by initdb or by pg_createsubscriber: unix us. Its upper half is the
// second, the 20 bits below are the microsecond.
constexpr std::int64_t drawn_us(std::uint64_t system_identifier) noexcept {
    std::uint64_t second = system_identifier >> 32, microsecond = system_identifier >> 12 & 0xFFFFF;
    return static_cast<std::int64_t>(second * 1000000 + microsecond);
}

// Puts into a new record whose shards these are, by the one before it.
constexpr void carry_owner(DurableRecord &record, const DurableRecord &before, const Owner &owner) noexcept {
    record.owner = is_copy(before, owner) ? before.owner : owner.system_identifier;
    record.shards = owner.shards;
}

}  // namespace idgen
