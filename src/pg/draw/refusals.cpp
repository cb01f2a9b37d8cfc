#include "pg/draw/refusals.hpp"

#include "pg/horizon/durable_page.hpp"
#include "pg/host/citus_node.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_arguments.hpp"

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

// What a shard makes in a tick, and where its next one lies if that is not the next of the clock.
const char *detail_of_full(const Stopped &s) {
    LayoutName name(*s.layout);
    uint32 ids = ids_per_tick(packing_of(*s.layout));
    const char *makes = psprintf("Layout \"%s\" makes %u ID%s in %s for each shard", name.text, ids,
                                 ids == 1 ? "" : "s", unit_text(*s.layout));
    if (s.tick.start_us - s.now_us <= s.layout->unit_us()) return psprintf("%s.", makes);
    return psprintf("%s; its next tick is %s ahead of the clock.", makes, lead_text(s));
}

Refusal full(const Stopped &s) {
    return {
        ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED, psprintf("no ID is left in this tick for shard %u", s.shard),
        detail_of_full(s),
        "Increase idgen.max_wait, set idgen.overflow to wait or borrow, give this node more shards, or use a layout with a longer sequence.",
        "lead"};
}

// How long was waited, and what is allowed.
const char *wait_text(const Stopped &s) {
    return psprintf("Waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.", duration_text(s.waited_ms),
                    duration_text(settings.max_lead_ms), duration_text(settings.max_wait_ms));
}

Refusal borrowed(const Stopped &s) {
    return {
        ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
        psprintf("other sessions have borrowed the IDs of shard %u up to %s ahead of the clock", s.shard, lead_text(s)),
        psprintf(
            "They set idgen.overflow to borrow, or call next_id_after() with IDs ahead of the clock, which any role may do. %s",
            wait_text(s)),
        "Increase idgen.max_wait, give this node more shards, or have the other sessions set idgen.overflow to wait and pass no such IDs.",
        "lead"};
}

Refusal clock_behind(const Stopped &s, bool is_hlc) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            is_hlc ? psprintf("the clock is %s behind the next HLC timestamp", lead_text(s))
                   : psprintf("the clock is %s behind the next ID of shard %u", lead_text(s), s.shard),
            psprintf("The clock says %s, the next %s would say %s. %s", instant_text(ms_down(s.now_us)),
                     is_hlc ? "timestamp" : "ID", start_text(s), wait_text(s)),
            behind_hint(lead_ms(s)), "clock"};
}

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
            return psprintf("The registry had granted the shard up to %s: its next IDs begin there.", start);
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

const char *advice_for(Ahead why, int64 wait_us) {
    if (why == Ahead::far_horizon) return far_horizon_hint;
    if (why == Ahead::advance) return advanced_hint;
    return psprintf("Try again in %s, or increase idgen.max_wait.", lead_text(wait_us));
}

const char *row_of(Ahead why) {
    if (why == Ahead::number) return "lease";
    return why == Ahead::unknown ? "lead" : "horizon";
}

// Of what is put further ahead than the session waits: the next ID of a shard, or the next HLC timestamp; `wait_us` until
// the clock would admit it.
Refusal ahead(Ahead why, const Stopped &stopped, int64 wait_us, bool is_hlc) {
    const char *lead = lead_text(stopped);
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            why == Ahead::far_horizon ? psprintf("the clock is %s behind the durable horizon", lead)
            : is_hlc                  ? psprintf("the next HLC timestamp lies %s ahead of the clock", lead)
                     : psprintf("the next ID of shard %u lies %s ahead of the clock", stopped.shard, lead),
            psprintf("%s %s", cause_text(why, stopped), wait_text(stopped)), advice_for(why, wait_us), row_of(why)};
}

Refusal no_tick(const Source &source, TickReason reason, int64 at_us) {
    if (!source.carries) return refusal_of_instant(reason, source.layout, at_us);
    return refusal_of_hlc_time(ms_down(at_us), ms_down(start_of(source.packing, source.packing.tick_end) - 1));
}

// Finds why a tick was refused, so that the clock is blamed only if it is to blame: `known` is what is known beside that.
AheadView view_of(const Source &source, const Stopped &stopped, const Take &taken, const AheadView &known) {
    AheadView view = known;
    view.start_ms = stopped.tick.start_ms;
    view.unit_ms = (source.packing.unit_us + 999) / 1000;
    view.now_ms = ms_down(stopped.now_us);
    view.wait_ms = (taken.wait_us + 999) / 1000;
    view.is_full = taken.status == Take::Status::full;
    view.max_lead_ms = settings.max_lead_ms;
    view.farthest_ms = horizon_rules().farthest_ms();
    return view;
}

// How far the clock fell behind during the wait. In this order a pause between two readings is not a loss.
int64 lost_ms(const Wait &wait) noexcept {
    if (wait.began_ms == 0) return 0;
    int64 steady_ms = monotonic_ms() - wait.began_ms;
    return steady_ms - (wall_ms() - wait.began_wall_ms);
}

// The record on the page. What is in shared memory may not be loaded yet.
DurableRecord wait_for_record() {
    DurableRecord record{};
    Wait wait{};
    RecordWaits<Record::horizon> server;
    for (Renewal looked; (looked = peek_record(Record::horizon, record)) != Renewal::granted;)
        await_renewal(server, {looked, 0}, wait);
    return record;
}

}  // namespace

Refusal refusal_of_draw(const Source &source, Next next, const Limits &limits, const Take &taken, int64 waited_ms,
                        const AheadView &known) {
    Tick tick = make_tick(source.packing, taken.tick);
    if (next == Next::before_epoch) return no_tick(source, TickReason::before_epoch, limits.now_us);
    // Ticks stop at the end of the layout; the clock may be past it.
    if (next == Next::past_end) return no_tick(source, TickReason::past_end, Max(tick.start_us, limits.now_us));
    Stopped stopped{&source.layout, source.shard, limits.now_us, tick, waited_ms};
    if (!source.carries && next == Next::full) return full(stopped);
    if (!source.carries && next == Next::borrowed) return borrowed(stopped);
    Ahead why = why_ahead(view_of(source, stopped, taken, known));
    if (why == Ahead::clock) return clock_behind(stopped, source.carries);
    if (why == Ahead::full && !source.carries) return full(stopped);
    return ahead(why, stopped, taken.wait_us, source.carries);
}

void note_horizon(AheadView &view, const Horizon &horizon, const AcceptedClock &accepted, const BootId &boot,
                  int64 difference_ms) noexcept {
    view.floor_ms = horizon.floor_ms;
    view.is_indebted = horizon.is_indebted;
    view.advanced_ms = horizon.advanced_ms;
    int64 accepted_ms = accepted_for(accepted, horizon.confirmations, horizon.record.known, boot);
    if (accepted_ms != nothing_accepted) view.set_back_ms = accepted_ms - difference_ms;
}

void refuse_draw(const Source &source, Next next, const Limits &limits, const Take &taken, const Wait &wait) {
    AheadView known{};
    known.lost_ms = lost_ms(wait);
    known.claimed_ms = source.is_leased ? claimed_ms(*self.leases, source.shard) : 0;
    {
        PatientGuard guard(self.database->renewal_lock);
        note_horizon(known, self.database->horizon, self.state->accepted_clock, self.state->boot, wall_minus_boot_ms());
    }
    refuse(refusal_of_draw(source, next, limits, taken, waited_ms(wait), known));
}

void require_own_group(const Layout &layout) {
    bool is_asked = settings.shards_from == ShardsFrom::citus && layout.node_bits() != 0 && !has_registry();
    if (!is_asked || RecoveryInProgress() || !has_clone()) return;
    if (may_be_clone(wait_for_record(), server_identity(), true)) refuse(refusal_of_group(CitusState::doubtful));
}

}  // namespace idgen::pg
