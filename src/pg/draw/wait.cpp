#include "pg/draw/wait.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/report_ahead.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

// How long a session sleeps between looks at a renewal that others must finish.
constexpr int64 renewal_poll_us = 200;

}  // namespace

int64 waited_ms(const Wait &wait) noexcept {
    return wait.began_ms == 0 ? 0 : monotonic_ms() - wait.began_ms;
}

void sleep_in(Wait &wait, int64 us) {
    if (wait.began_ms == 0) {
        wait.began_wall_ms = wall_ms();
        wait.began_ms = monotonic_ms();
    }
    sleep_us(us);
}

void wait_for_renewal(const Outcome &outcome, Record record, Wait &wait) {
    switch (patience_after(outcome.renewal, waited_ms(wait), settings.max_wait_ms)) {
        case Patience::go_on:
            return;
        case Patience::refused:
            report_refused(outcome, record);
        case Patience::exhausted:
            report_not_renewed(outcome.renewal, record, settings.max_wait_ms);
        case Patience::wait:
            sleep_in(wait, renewal_poll_us);
    }
}

namespace {

// How far the clock fell behind during the wait. In this order a pause between two readings is no loss.
int64 lost_ms(const Wait &wait) noexcept {
    if (wait.began_ms == 0) return 0;
    int64 steady_ms = monotonic_ms() - wait.began_ms;
    return steady_ms - (wall_ms() - wait.began_wall_ms);
}

// What the database knows of its floor and of the clock.
void look_at_database(AheadView &view) noexcept {
    SharedDatabase &database = *self.database;
    int64 accepted_ms = nothing_accepted;
    {
        ReadGuard guard(database.renewal_lock);
        const Horizon &horizon = database.horizon;
        view.floor_ms = horizon.floor_ms;
        view.is_indebted = horizon.is_indebted;
        accepted_ms =
            accepted_for(self.state->accepted_clock, horizon.confirmations, horizon.record.known, self.state->boot);
    }
    view.advanced_ms = static_cast<int64>(pg_atomic_read_u64(&database.advanced_ms));
    if (accepted_ms != nothing_accepted) view.set_back_ms = accepted_ms - wall_minus_boot_ms();
}

AheadView view_of(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait) {
    AheadView view{};
    view.start_ms = stopped.tick_start_ms;
    view.unit_ms = source.packing.unit_ms;
    view.now_ms = stopped.now_ms;
    view.wait_ms = taken.wait_ms;
    view.is_full = taken.status == Take::Status::full;
    view.max_lead_ms = settings.max_lead_ms;
    view.farthest_ms = horizon_rules().farthest_ms();
    view.claimed_ms = source.is_leased ? claimed_ms(self.state->leases, source.shard) : 0;
    view.lost_ms = lost_ms(wait);
    look_at_database(view);
    return view;
}

}  // namespace

void report_if_clock_is_well(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait) {
    Ahead why = why_ahead(view_of(source, stopped, taken, wait));
    if (why == Ahead::clock) return;
    if (why == Ahead::full && !source.carries) report_full(stopped);
    report_ahead(why, {stopped, taken.wait_ms, source.carries}, wait_limits());
}

}  // namespace idgen::pg
