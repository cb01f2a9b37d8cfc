// Moves the durable horizon of a database: looks at the clock, writes the page, flushes it, waits for the
// synchronous standbys, grants; in this order, also for a caller with synchronous_commit = off. No lock
// is held while anything is waited for: a session whose renewal is not granted yet comes back and asks again.
#pragma once

#include "core/issue/slot.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/report/renewal.hpp"
#include "pg/report/report_host.hpp"
#include "pg/state/session.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

// The limits of a draw at that time. Requires an attached backend.
inline Limits limits_at(int64 now_ms) noexcept {
    // The grant first: it rises after the floor that it rests on.
    int64 granted_ms = self.database->horizon.granted_ms.load(std::memory_order_acquire);
    int64 floor_ms = self.database->horizon.floor_ms.load(std::memory_order_acquire);
    return {now_ms, floor_ms, granted_ms, settings.max_lead_ms,
            settings.overflow == static_cast<int>(Overflow::borrow)};
}

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Says what keeps it
// from being granted: a clock that jumped or is not synchronised, a page that cannot be used, somebody's
// lock.
Outcome renew_horizon(Oid schema, int64 start_ms);

// The same, or a wait for whoever or whatever it needs; raises where it is refused or takes too long.
// `wait_began_ms` is 0 before the first wait of a draw.
void renew_or_wait(Oid schema, int64 start_ms, int64 &wait_began_ms);

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond. Where it is refused,
// the next draw that needs it says so: here an ID has been taken, and it is good.
void renew_ahead(Oid schema, const Limits &limits, int64 start_ms);

// Raises where the postmaster is dead: another server may have taken this one's place. To be asked after a
// take, before what was taken is handed out.
inline void require_postmaster() {
    if (unlikely(!PostmasterIsAlive())) report_postmaster_dead();
}

}  // namespace idgen::pg
