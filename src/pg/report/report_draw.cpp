#include "pg/report/report_draw.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

// What a shard makes in a tick, and where its next one lies if that is not the next of the clock.
int detail_of_full(const Stopped &s) {
    LayoutName name(*s.layout);
    uint32 ids = ids_per_tick(packing_of(*s.layout));
    int64 lead_ms = s.tick_start_ms - s.now_ms;
    if (lead_ms <= s.layout->unit_ms)
        return errdetail_plural("Layout \"%s\" makes %u ID in %d ms for each shard.",
                                "Layout \"%s\" makes %u IDs in %d ms for each shard.", ids, name.text, ids,
                                s.layout->unit_ms);
    return errdetail_plural(
        "Layout \"%s\" makes %u ID in %d ms for each shard; its next tick is %s ahead of the clock.",
        "Layout \"%s\" makes %u IDs in %d ms for each shard; its next tick is %s ahead of the clock.", ids, name.text,
        ids, s.layout->unit_ms, seconds_text(lead_ms));
}

}  // namespace

void report_full(const Stopped &s, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                errmsg("no ID is left in this tick for shard %u", s.shard), detail_of_full(s),
                errhint("Raise idgen.max_wait, set idgen.overflow to wait or borrow, give this node more "
                        "shards, or use a layout with a longer sequence.")));
}

void report_borrowed(const Stopped &s, const WaitLimits &limits, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
         errmsg("other sessions have borrowed the IDs of shard %u up to %s ahead of the clock", s.shard,
                seconds_text(s.tick_start_ms - s.now_ms)),
         errdetail("They set idgen.overflow to borrow, which any role may do; waited for %s; "
                   "idgen.max_lead is %s, idgen.max_wait is %s.",
                   seconds_text(s.waited_ms), seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
         errhint("Raise idgen.max_wait, set idgen.overflow to wait in the other sessions, or give this "
                 "node more shards.")));
}

void report_clock_behind(const Stopped &s, const WaitLimits &limits, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("the clock is %s behind the next ID of shard %u", seconds_text(s.tick_start_ms - s.now_ms), s.shard),
         errdetail("The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is "
                   "%s, idgen.max_wait is %s.",
                   instant_text(s.now_ms), instant_text(s.tick_start_ms), seconds_text(s.waited_ms),
                   seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
         errhint("%s", behind_hint)));
}

void report_observed_id(const Layout &layout, int64 id, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld is no ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
                errdetail("The layout cannot have made it."), errhint("%s", right_layout_hint)));
}

void report_observed_ahead(const Layout &layout, int64 id, int64 lead_ms, const WaitLimits &limits, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id), seconds_text(lead_ms)),
         errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", LayoutName(layout).text,
                   seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
         errhint("Correct the clock that is wrong, or give the layout that the ID was made with.")));
}

}  // namespace idgen::pg
