// Reading by ID: up to where the IDs of this database are settled, and who holds that back (core/issue/settled.hpp).
#pragma once

#include "core/issue/settled.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Called as the server is loaded: has prepared transactions hand over what they announced.
void watch_prepared_transactions();

// Lifts S to the clock, as far as is granted, and gathers what is undecided. Renews the horizon if the clock has passed
// it, and if that is refused, goes no further than what is granted. False if nothing is known to be settled: nothing is
// granted yet, or a transaction that was prepared before the start may have drawn anything. Requires an attached
// backend.
bool settle(Settled &settled);

// For statistics; they only look.

// What is undecided now, without lifting S: all before `now_ms` or the first announcement is settled. Not during
// recovery.
Settled look_at_settled(SharedState *state, int64 now_ms);

// From where IDs are drawn for the transaction that a process is in, by it or its workers; 0: none were.
int64 announced_ms(SharedState *state, uint32 process, Oid database) noexcept;

// The prepared transactions of all databases that have drawn, or may have: then their `start_ms` is INT64_MIN.
struct PreparedCopies {
    PreparedAnnouncement *rows;  // by palloc
    uint32 count;
};
PreparedCopies copy_prepared(SharedState *state);

}  // namespace idgen::pg
