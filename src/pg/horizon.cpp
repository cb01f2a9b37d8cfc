#include "pg/horizon.hpp"

#include "core/clock_watch.hpp"
#include "pg/clock.hpp"
#include "pg/clock_steps.hpp"
#include "pg/horizon_page.hpp"
#include "pg/log_limit.hpp"
#include "pg/report.hpp"
#include "pg/settings.hpp"
#include "pg/stall.hpp"
#include "pg/standby.hpp"

namespace idgen::pg {
namespace {

// How long a session sleeps between looks at a renewal that others must finish.
constexpr int64 renewal_poll_us = 200;

void check_clock_jump(SharedState *state) {
    uint64 highest = pg_atomic_read_u64(&state->accepted_clock_ms);
    for (;;) {
        ClockVerdict verdict =
            judge_clock(static_cast<int64>(highest), look_for_clock_step(state), settings.max_clock_jump_ms);
        if (!verdict.accepted) report_clock_jumped(verdict.jump_ms);
        auto accepted = static_cast<uint64>(verdict.highest_ms);
        if (accepted == highest) return;
        if (pg_atomic_compare_exchange_u64(&state->accepted_clock_ms, &highest, accepted)) return;
    }
}

void check_clock_sync(SharedState *state) {
    auto required = static_cast<RequireClockSync>(settings.require_clock_sync);
    if (required == RequireClockSync::off || is_clock_synchronised()) return;
    if (required == RequireClockSync::on) report_clock_not_synchronised(ERROR);
    if (may_log(state, Cause::clock_not_synchronised)) report_clock_not_synchronised(WARNING);
}

// After a start there is no accepted clock to compare with, only the horizon that was found.
void look_at_found_horizon(int64 horizon_ms, int64 now_ms) {
    int64 behind_ms = now_ms - horizon_ms;
    if (behind_ms > settings.max_clock_jump_ms) log_horizon_behind(horizon_ms, behind_ms);
}

// Admits the page and writes a renewal to it, flushed; `found_ms` is set to the horizon that a start found.
// Requires the renewal lock.
void write_renewal(SharedDatabase &database, Relation sequence, const Limits &limits, int64 start_ms,
                   int64 &found_ms) {
    int64 identity = server_identity();
    HorizonPage page = lock_horizon_page(sequence);
    check_bounds(page);
    HorizonRules rules = horizon_rules();
    if (!database.horizon.is_loaded) found_ms = page.record.horizon_ms;
    bool is_admitted = admit_page(database.horizon, page.record, identity, limits.now_ms, rules);
    is_admitted = is_admitted && may_renew(database.horizon, start_ms);
    HorizonRecord record{};
    XLogRecPtr lsn = InvalidXLogRecPtr;
    if (is_admitted) {
        record = renewal(database.horizon, identity, limits.now_ms, start_ms, rules);
        lsn = write_horizon_page(page, record);
    }
    unlock_horizon_page(page);
    if (!is_admitted) return;
    XLogFlush(lsn);
    note_flushed(database.horizon, record);
    database.pending_lsn = lsn;
}

// Under the renewal lock: what is pending is granted or waited for, and only then more is written.
Renewal renew_locked(SharedDatabase &database, Relation sequence, const Limits &limits, int64 start_ms,
                     int64 &found_ms) {
    Horizon &horizon = database.horizon;
    // Another session was first.
    if (!is_half_used(horizon.granted_ms, start_ms, settings.horizon_window_ms)) return Renewal::granted;
    bool is_pending = horizon.pending.horizon_ms > start_ms;
    if (!is_pending) {
        write_renewal(database, sequence, limits, start_ms, found_ms);
        if (horizon.pending.horizon_ms == 0) return Renewal::granted;
    }
    if (!is_acknowledged(database.pending_lsn)) return Renewal::not_acknowledged;
    grant_pending(horizon);
    pg_atomic_fetch_add_u64(&database.renewals, 1);
    pg_atomic_write_u64(&database.renewed_ms, static_cast<uint64>(wall_ms()));
    return Renewal::granted;
}

// Raises where no renewal may be written now, whatever is on the page.
void check_surroundings() {
    check_clock_jump(self.state);
    check_clock_sync(self.state);
    require_standbys();
}

Renewal try_renewal(Oid schema, const Limits &limits, int64 start_ms) {
    check_surroundings();
    Relation sequence = try_open_horizon(schema);
    if (sequence == nullptr) return Renewal::locked;
    require_logged(sequence);
    Renewal renewal = Renewal::busy;
    int64 found_ms = limits.now_ms;
    if (LWLockConditionalAcquire(&self.database->renewal_lock, LW_EXCLUSIVE)) {
        renewal = renew_locked(*self.database, sequence, limits, start_ms, found_ms);
        LWLockRelease(&self.database->renewal_lock);
    }
    close_horizon(sequence);
    // The log is told when no lock is held.
    look_at_found_horizon(found_ms, limits.now_ms);
    return renewal;
}

}  // namespace

Renewal renew_horizon(Oid schema, const Limits &limits, int64 start_ms) {
    pg_atomic_uint64 &stall = self.database->stall;
    uint64 before = pg_atomic_read_u64(&stall);
    uint64 asked = extended_stall(before, monotonic_ms());
    uint64 expected = before;
    pg_atomic_compare_exchange_u64(&stall, &expected, asked);
    Renewal renewal = try_renewal(schema, limits, start_ms);
    if (renewal == Renewal::granted)
        pg_atomic_write_u64(&stall, 0);
    else if (renewal == Renewal::busy)  // the other session's request counts, not this one
        pg_atomic_compare_exchange_u64(&stall, &asked, before);
    return renewal;
}

void renew_or_wait(Oid schema, const Limits &limits, int64 start_ms, int64 &wait_began_ms) {
    Renewal renewal = renew_horizon(schema, limits, start_ms);
    if (renewal == Renewal::granted) return;
    if (waited_since(wait_began_ms) >= longest_wait_ms(renewal)) report_not_renewed(renewal);
    sleep_us(renewal_poll_us);
}

void renew_ahead(Oid schema, const Limits &limits, int64 start_ms) {
    static int64 last_try_ms = 0;
    if (limits.now_ms == last_try_ms) return;
    last_try_ms = limits.now_ms;
    renew_horizon(schema, limits, start_ms);
}

void accept_clock(SharedState *state) noexcept {
    pg_atomic_write_u64(&state->accepted_clock_ms, static_cast<uint64>(wall_minus_boot_ms()));
}

}  // namespace idgen::pg
