// What draws count on their slow ways: waits, full ticks, IDs ahead of the clock. A draw whose slot was given
// to somebody else in between counts nothing. The common way only counts IDs, in the take itself.
#pragma once

#include "pg/source.hpp"

namespace idgen::pg {

// A draw begins to wait for a tick of its slot.
void count_wait(const Source &source) noexcept;
// It slept so long.
void count_wait_time(const Source &source, int64 us) noexcept;

// The slot had no ID left in a tick. Tells the log where that goes on for long.
void count_full(const Source &source);

// IDs of one tick that was ahead of the clock when the take read it. Counts those that still are.
void count_ahead(const Source &source, int64 tick, uint32 ids);

// Sets back what was counted for this session's database.
void reset_tallies(SharedState *state) noexcept;

}  // namespace idgen::pg
