// The clock that IDs may take: what was accepted of it, by the server and by each database
// (core/durable/clock_watch.hpp).
#pragma once

#include "core/durable/clock_watch.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Reads the clock, and looks whether it was set since some session last looked.
ClockReading watched_clock(SharedState *state);

// How often somebody said that the clock is right.
uint32 clock_confirmations(SharedState *state) noexcept;

// The highest difference accepted for a database with that record: what somebody confirmed since, else what
// the record says of this boot, else what the server accepted.
int64 accepted_clock_ms(SharedState *state, const SharedDatabase *database,
                        const DurableRecord &record) noexcept;

// Raises the highest difference that the server accepts.
void raise_accepted_clock(SharedState *state, int64 accepted_ms) noexcept;

// Takes the clock as it is now for right, in every database.
void accept_clock(SharedState *state) noexcept;

}  // namespace idgen::pg
