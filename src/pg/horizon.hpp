// Moves the durable horizon of a database: looks at the clock, writes the page, flushes it, waits for the
// synchronous standbys, grants; in this order, also for a caller with synchronous_commit = off. No lock
// is held while anything is waited for: a session whose renewal is not granted yet comes back and asks again.
#pragma once

#include "core/slot.hpp"
#include "pg/renewal.hpp"
#include "pg/session.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {

// The limits of a draw at that time. Requires an attached backend.
inline Limits limits_at(int64 now_ms) noexcept {
    // The grant first: it rises after the floor that it rests on.
    int64 granted_ms = self.database->horizon.granted_ms.load(std::memory_order_acquire);
    int64 floor_ms = self.database->horizon.floor_ms.load(std::memory_order_acquire);
    return {now_ms, floor_ms, granted_ms, settings.max_lead_ms,
            settings.overflow == static_cast<int>(Overflow::borrow)};
}

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Raises where the
// clock jumped forward or is not synchronised as required, and where the page cannot be used.
Renewal renew_horizon(Oid schema, const Limits &limits, int64 start_ms);

// The same, or a wait for whoever or whatever it needs; raises where that takes too long. `wait_began_ms` is
// 0 before the first wait of a draw.
void renew_or_wait(Oid schema, const Limits &limits, int64 start_ms, int64 &wait_began_ms);

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond.
void renew_ahead(Oid schema, const Limits &limits, int64 start_ms);

// Takes the clock as it is now for right.
void accept_clock(SharedState *state) noexcept;

}  // namespace idgen::pg
