// Moves the granted horizon of a database, after a look at the clock.
#pragma once

#include "core/slot.hpp"
#include "pg/shared_state.hpp"

namespace idgen::pg {

// How far one renewal reaches, ms.
constexpr int64 window_ms = 1000;

// Grants a window beyond a tick that starts at `start_ms` and that the lead admits. Raises where the
// clock jumped forward or is not synchronised as required.
void renew_horizon(SharedState *state, SharedDatabase *database, const Limits &limits, int64 start_ms);

// Takes the clock as it is now for right.
void accept_clock(SharedState *state) noexcept;

}  // namespace idgen::pg
