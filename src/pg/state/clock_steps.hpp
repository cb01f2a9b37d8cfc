// Sees the clock being set while the server runs: counts it and tells the log.
#pragma once

#include "core/durable/trusted_clock.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Looks whether the clock was set since some session last looked. Gives CLOCK_REALTIME less CLOCK_BOOTTIME,
// ms.
int64 look_for_clock_step(SharedState *state);

// Reads the clock, with such a look.
ClockReading watched_clock(SharedState *state);

}  // namespace idgen::pg
