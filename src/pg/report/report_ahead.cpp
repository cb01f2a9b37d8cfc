#include "pg/report/report_ahead.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

const char *cause_text(Ahead why, const Stopped &stopped) {
    const char *start = instant_text(stopped.tick_start_ms);
    switch (why) {
        case Ahead::debt:
            return psprintf(
                "Another server may have made IDs up to %s, or the horizon is not as this one left it: that "
                "is "
                "waited for once.",
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
    return psprintf("The clock says %s, the next one would say %s.", instant_text(stopped.now_ms), start);
}

int hint_of(Ahead why, const Refused &refused) {
    if (why == Ahead::far_horizon) return errhint("%s", far_horizon_hint);
    if (why == Ahead::advance) return errhint("%s", advanced_hint);
    return errhint("Try again in %s, or raise idgen.max_wait.", seconds_text(refused.wait_ms));
}

}  // namespace

void report_ahead(Ahead why, const Refused &refused, const WaitLimits &limits, Location at) {
    const Stopped &stopped = refused.stopped;
    const char *lead = seconds_text(stopped.tick_start_ms - stopped.now_ms);
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         why == Ahead::far_horizon ? errmsg("the clock is %s behind the durable horizon", lead)
         : refused.is_hlc          ? errmsg("the next HLC timestamp lies %s ahead of the clock", lead)
                                   : errmsg("the next ID of shard %u lies %s ahead of the clock", stopped.shard, lead),
         errdetail("%s Waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.", cause_text(why, stopped),
                   seconds_text(stopped.waited_ms), seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
         hint_of(why, refused)));
}

}  // namespace idgen::pg
