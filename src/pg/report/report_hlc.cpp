#include "pg/report/report_hlc.hpp"

#include "core/kinds/hlc.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {

void report_no_hlc(int64 hlc, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%lld is no HLC timestamp", static_cast<long long>(hlc)),
         errdetail("A timestamp is not negative: 48 bits of unix ms, 16 bits logical."),
         errhint("Give one that hlc_now() or hlc_make() made.")));
}

void report_remote_ahead(int64 remote_ms, int64 now_ms, int64 max_lead_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the remote timestamp is %s ahead of the clock", seconds_text(remote_ms - now_ms)),
                errdetail("It says %s, the clock says %s; idgen.max_lead is %s.", instant_text(remote_ms),
                          instant_text(now_ms), seconds_text(max_lead_ms)),
                errhint("Correct the clock that is wrong, or raise idgen.max_lead where clocks are that far "
                        "apart.")));
}

void report_hlc_behind(int64 now_ms, int64 hlc_ms, int64 waited_ms, const WaitLimits &limits, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock is %s behind the next HLC timestamp", seconds_text(hlc_ms - now_ms)),
                errdetail("The clock says %s, the timestamp would say %s; waited for %s; idgen.max_lead is "
                          "%s, idgen.max_wait is %s.",
                          instant_text(now_ms), instant_text(hlc_ms), seconds_text(waited_ms),
                          seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
                errhint("%s", behind_hint)));
}

void report_hlc_time(int64 unix_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("no HLC timestamp can hold the time %s", instant_text(unix_ms)),
                errdetail("Its times are from %s to %s.", instant_text(0), instant_text(hlc_last_ms)),
                errhint("%s", time_between_hint)));
}

void report_hlc_logical(int64 logical, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("logical part %lld is out of range", static_cast<long long>(logical)),
                errdetail("An HLC timestamp has logical parts from 0 to %d.", static_cast<int>(hlc_last_logical)),
                errhint("Give a number in that range.")));
}

}  // namespace idgen::pg
