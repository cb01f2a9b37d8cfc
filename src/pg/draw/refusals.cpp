#include "pg/draw/refusals.hpp"

#include "core/durable/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// What stopped a draw.
struct Stopped {
    const Layout *layout;
    uint32 shard;
    int64 now_us;
    Tick tick;  // that was refused
    int64 waited_ms;
};

// How far the tick lies ahead of the clock.
int64 lead_ms(const Stopped &s) {
    return (s.tick.start_us - s.now_us + 999) / 1000;
}
char *lead_text(int64 lead_us) {
    return duration_text((lead_us + 999) / 1000);
}
char *lead_text(const Stopped &s) {
    return duration_text(lead_ms(s));
}

const char *start_text(const Stopped &s) {
    return pstrdup(timestamptz_to_str(s.tick.start_us));
}

[[noreturn]] void report_no_tick(const Source &source, int64 at_us, TickReason reason) {
    if (source.carries) report_hlc_time(ms_down(at_us));
    report_instant(reason, source.layout, at_us);
}

// What a shard makes in a tick, and where its next one lies if that is not the next of the clock.
int detail_of_full(const Stopped &s) {
    LayoutName name(*s.layout);
    uint32 ids = ids_per_tick(packing_of(*s.layout));
    if (s.tick.start_us - s.now_us <= s.layout->unit_us())
        return errdetail_plural("Layout \"%s\" makes %u ID in %s for each shard.",
                                "Layout \"%s\" makes %u IDs in %s for each shard.", ids, name.text, ids,
                                unit_text(*s.layout));
    return errdetail_plural("Layout \"%s\" makes %u ID in %s for each shard; its next tick is %s ahead of the clock.",
                            "Layout \"%s\" makes %u IDs in %s for each shard; its next tick is %s ahead of the clock.",
                            ids, name.text, ids, unit_text(*s.layout), lead_text(s));
}

[[noreturn]] void report_full(const Stopped &s) {
    ereport(
        ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
        errmsg("no ID is left in this tick for shard %u", s.shard), detail_of_full(s),
        errhint(
            "Increase idgen.max_wait, set idgen.overflow to wait or borrow, give this node more shards, or use a layout with a longer sequence."));
}

[[noreturn]] void report_borrowed(const Stopped &s, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
        errmsg("other sessions have borrowed the IDs of shard %u up to %s ahead of the clock", s.shard, lead_text(s)),
        errdetail(
            "They set idgen.overflow to borrow, or call next_id_after() with IDs ahead of the clock, which any role may do; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            duration_text(s.waited_ms), duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint(
            "Increase idgen.max_wait, give this node more shards, or have the other sessions set idgen.overflow to wait and pass no such IDs."));
}

[[noreturn]] void report_clock_behind(const Stopped &s, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock is %s behind the next ID of shard %u", lead_text(s), s.shard),
        errdetail(
            "The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            instant_text(ms_down(s.now_us)), start_text(s), duration_text(s.waited_ms),
            duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint("%s", behind_hint(lead_ms(s))));
}

[[noreturn]] void report_hlc_behind(const Stopped &s, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock is %s behind the next HLC timestamp", lead_text(s)),
        errdetail(
            "The clock says %s, the timestamp would say %s; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            instant_text(ms_down(s.now_us)), start_text(s), duration_text(s.waited_ms),
            duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint("%s", behind_hint(lead_ms(s))));
}

// Finds why a tick was refused, so that the clock is blamed only if it is to blame.

// How far the clock fell behind during the wait. In this order a pause between two readings is not a loss.
int64 lost_ms(const Wait &wait) noexcept {
    if (wait.began_ms == 0) return 0;
    int64 steady_ms = monotonic_ms() - wait.began_ms;
    return steady_ms - (wall_ms() - wait.began_wall_ms);
}

// What the database knows of its floor and of the clock.
void look_at_database(AheadView &view) {
    SharedDatabase &database = *self.database;
    int64 accepted_ms = nothing_accepted;
    {
        PatientGuard guard(database.renewal_lock);
        const Horizon &horizon = database.horizon;
        view.floor_ms = horizon.floor_ms;
        view.is_indebted = horizon.is_indebted;
        accepted_ms =
            accepted_for(self.state->accepted_clock, horizon.confirmations, horizon.record.known, self.state->boot);
    }
    view.advanced_ms = database.horizon.advanced_ms;
    if (accepted_ms != nothing_accepted) view.set_back_ms = accepted_ms - wall_minus_boot_ms();
}

AheadView view_of(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait) {
    AheadView view{};
    view.start_ms = stopped.tick.start_ms;
    view.unit_ms = (source.packing.unit_us + 999) / 1000;
    view.now_ms = ms_down(stopped.now_us);
    view.wait_ms = (taken.wait_us + 999) / 1000;
    view.is_full = taken.status == Take::Status::full;
    view.max_lead_ms = settings.max_lead_ms;
    view.farthest_ms = horizon_rules().farthest_ms();
    view.claimed_ms = source.is_leased ? claimed_ms(self.state->leases, source.shard) : 0;
    view.lost_ms = lost_ms(wait);
    look_at_database(view);
    return view;
}

// What was refused: the next ID of a shard, or the next HLC timestamp.
struct Refused {
    const Stopped &stopped;
    int64 wait_us;  // until the clock would admit it
    bool is_hlc;
};

const char *cause_text(Ahead why, const Stopped &stopped) {
    const char *start = start_text(stopped);
    switch (why) {
        case Ahead::debt:
            return psprintf(
                "Another server may have made IDs up to %s, or the horizon is not as this server left it: the session waits once until that time is past.",
                start);
        case Ahead::advance:
            return psprintf("idgen.advance() has moved the durable horizon to %s.", start);
        case Ahead::number:
            return psprintf("The registry had granted the number up to %s: its next IDs begin there.", start);
        case Ahead::horizon:
        case Ahead::far_horizon:
            return psprintf("IDs begin at the durable horizon as this server found it, %s.", start);
        case Ahead::clock:
        case Ahead::full:
        case Ahead::unknown:
            break;
    }
    return psprintf("The clock says %s, the next one would say %s.", instant_text(ms_down(stopped.now_us)), start);
}

int hint_of(Ahead why, const Refused &refused) {
    if (why == Ahead::far_horizon) return errhint("%s", far_horizon_hint);
    if (why == Ahead::advance) return errhint("%s", advanced_hint);
    return errhint("Try again in %s, or increase idgen.max_wait.", lead_text(refused.wait_us));
}

[[noreturn]] void report_ahead(Ahead why, const Refused &refused, const WaitLimits &limits) {
    const Stopped &stopped = refused.stopped;
    const char *lead = lead_text(stopped);
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            why == Ahead::far_horizon ? errmsg("the clock is %s behind the durable horizon", lead)
            : refused.is_hlc          ? errmsg("the next HLC timestamp lies %s ahead of the clock", lead)
                             : errmsg("the next ID of shard %u lies %s ahead of the clock", stopped.shard, lead),
            errdetail("%s Waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.", cause_text(why, stopped),
                      duration_text(stopped.waited_ms), duration_text(limits.max_lead_ms),
                      duration_text(limits.max_wait_ms)),
            hint_of(why, refused));
}

// Raises, with the reason, if it is another than the clock. Returns if the clock was set back or stands still.
void report_if_clock_is_well(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait) {
    Ahead why = why_ahead(view_of(source, stopped, taken, wait));
    if (why == Ahead::clock) return;
    if (why == Ahead::full && !source.carries) report_full(stopped);
    report_ahead(why, {stopped, taken.wait_us, source.carries}, wait_limits());
}

}  // namespace

void refuse_draw(const Source &source, Next next, const Limits &limits, const Take &taken, const Wait &wait) {
    Tick tick = make_tick(source.packing, taken.tick);
    if (next == Next::before_epoch) report_no_tick(source, limits.now_us, TickReason::before_epoch);
    // Ticks stop at the end of the layout; the clock may be past it.
    if (next == Next::past_end) report_no_tick(source, Max(tick.start_us, limits.now_us), TickReason::past_end);
    Stopped stopped{&source.layout, source.shard, limits.now_us, tick, waited_ms(wait)};
    if (!source.carries && next == Next::full) report_full(stopped);
    if (!source.carries && next == Next::borrowed) report_borrowed(stopped, wait_limits());
    report_if_clock_is_well(source, stopped, taken, wait);
    if (source.carries) report_hlc_behind(stopped, wait_limits());
    report_clock_behind(stopped, wait_limits());
}

void report_observed_ahead(const Layout &layout, int64 id, int64 lead_us, const WaitLimits &limits) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id), lead_text(lead_us)),
            errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", LayoutName(layout).text,
                      duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
            errhint("Correct the clock that is wrong, or give the layout that the ID was made with."));
}

void report_no_id_of(const Layout &layout, int64 id) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%lld is not an ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
            errdetail("The layout cannot have made it."), errhint("%s", right_layout_hint));
}

}  // namespace idgen::pg
