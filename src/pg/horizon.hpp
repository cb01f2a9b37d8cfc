// Moves the durable horizon of a database: looks at the clock, writes the page, flushes it, waits for the
// synchronous standbys, grants; in this order, also for a caller with synchronous_commit = off. No lock
// is held while anything is waited for: a session whose renewal is not granted yet comes back and asks again.
#pragma once

#include "core/slot.hpp"
#include "pg/renewal.hpp"
#include "pg/session.hpp"

namespace idgen::pg {

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Raises where the
// clock jumped forward or is not synchronised as required, and where the page cannot be used.
Renewal renew_horizon(Oid schema, const Limits &limits, int64 start_ms);

// Takes the clock as it is now for right.
void accept_clock(SharedState *state) noexcept;

}  // namespace idgen::pg
