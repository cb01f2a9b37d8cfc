// Moves the durable horizon of a database up: looks at the clock, then does what the core decides. No lock is
// held while anything is waited for: a session whose renewal is not granted yet comes back and asks again.
#pragma once

#include "pg/horizon/durable_page.hpp"
#include "pg/report/report_host.hpp"

namespace idgen::pg {

// What this server knows of itself and of its clock; `foreign_origin` is of the caller.
ServerView this_server();

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Says what keeps it
// from being granted: a clock that jumped or is not synchronised, a page that cannot be used, somebody's
// lock.
Outcome renew_horizon(int64 start_ms);

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond, which `now_ms` is.
// What is refused or fails, the next draw that needs it says: here an ID has been taken, and it is good.
void renew_ahead(int64 now_ms, int64 start_ms);

// Raises where the postmaster is dead: another server may have taken this one's place. To be asked after a
// take, before what was taken is handed out.
inline void require_postmaster() {
    if (unlikely(!PostmasterIsAlive())) report_postmaster_dead();
}

}  // namespace idgen::pg
