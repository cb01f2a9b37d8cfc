// Moves durable records up, in the order that the core says (core/draw/renewal_order.hpp), also for a caller with
// synchronous_commit = off.
#pragma once

#include "core/horizon/renewal.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Moves the durable horizon of a database up: looks at the clock, then does what the core decides. No lock is held
// while anything is waited for: a session whose renewal is not granted yet comes back and asks again.

// What this server knows of itself and of its clock, which is read last; `foreign_origin` is of the caller.
ServerView this_server();
ServerView server_but_clock(const SharedState &state);

// Whether the kernel says that its clock is right within idgen.clock_error.
Outcome doubt_of_kernel(SharedState *state);

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Says what keeps it from being
// granted: a clock that jumped or is not synchronized, a page that cannot be used, a lock.
Outcome renew_horizon(int64 start_ms);

// Reads what a start left, if it can be read now, and nothing of that is known yet. Writes nothing, and does not judge
// the clock.
void load_horizon();

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond, which `now_ms` is. What is
// refused or fails, the next draw that needs it says: here an ID has been taken, and it is good.
void renew_ahead(int64 now_ms, int64 start_ms);

// The server's main process is gone; ends the session.
[[noreturn]] void report_postmaster_dead();

// Raises if the postmaster is dead: another server may have taken this one's place. To be asked after a take, before
// what was taken is handed out.
inline void require_postmaster() {
    if (unlikely(!PostmasterIsAlive())) report_postmaster_dead();
}

// Takes the generators of DecimalIds (core/horizon/durable_record.hpp): that one is taken is durable before it is used.

// Tries once to have a generator with a counter left.
Outcome renew_generator();

}  // namespace idgen::pg
