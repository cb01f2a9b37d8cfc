// What keeps a durable record from being written, or what it says from being used.
#pragma once

#include <cstdint>

namespace idgen::pg {

// The durable records of a database.
enum class Record : std::uint8_t { horizon, generator };

// The sequence behind which a record lies.
constexpr const char *sequence_of(Record kind) noexcept {
    return kind == Record::horizon ? "idgen_horizon" : "idgen_generator";
}

enum class Renewal : std::uint8_t {
    granted,           // or the floor rose: try the take again
    locked,            // somebody holds a lock on the sequence
    busy,              // another session renews
    not_acknowledged,  // the synchronous standbys have not flushed it yet
    // Refused: waiting helps nobody.
    no_record,               // the sequence is missing, or holds no such record
    newer_record,            // written by a later version
    unlogged,                //
    uncommitted,             // created or given a new file in this transaction, not logged before its end
    out_of_bounds,           // detail: the number on the page
    no_standby,              // idgen.synchronous asks for one
    clock_jumped,            // detail: by how many ms; limit_ms: by how many it may
    clock_not_synchronised,  //
    copied,                  // detail: the system identifier of the origin
};

constexpr bool is_refused(Renewal renewal) noexcept {
    return renewal >= Renewal::no_record;
}

struct Outcome {
    Renewal renewal;
    std::int64_t detail;
    std::int64_t limit_ms = 0;
};

}  // namespace idgen::pg
