// Refusals of the hybrid logical clock, of IDs seen elsewhere, and of the bounds of the clock.
#include "core/kinds/hlc.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

void report_no_hlc(int64 hlc) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%lld is no HLC timestamp", static_cast<long long>(hlc)),
                    errdetail("A timestamp is not negative: 48 bits of unix ms, 16 bits logical."),
                    errhint("Give one that hlc_now() or hlc_make() made.")));
}

void report_remote_ahead(int64 remote_ms, int64 now_ms) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the remote timestamp is %s ahead of the clock", seconds_text(remote_ms - now_ms)),
             errdetail("It says %s, the clock says %s; idgen.max_lead is %s.", instant_text(remote_ms),
                       instant_text(now_ms), seconds_text(settings.max_lead_ms)),
             errhint("Correct the clock that is wrong, or raise idgen.max_lead where clocks are that far "
                     "apart.")));
}

void report_hlc_behind(int64 now_ms, int64 hlc_ms, int64 waited_ms) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the clock is %s behind the next HLC timestamp", seconds_text(hlc_ms - now_ms)),
             errdetail("The clock says %s, the timestamp would say %s; waited for %s; idgen.max_lead is %s, "
                       "idgen.max_wait is %s.",
                       instant_text(now_ms), instant_text(hlc_ms), seconds_text(waited_ms),
                       seconds_text(settings.max_lead_ms), seconds_text(settings.max_wait_ms)),
             errhint("Correct the clock, or raise idgen.max_wait to wait for it.")));
}

void report_hlc_time(int64 unix_ms) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("no HLC timestamp can hold the time %s", instant_text(unix_ms)),
                    errdetail("Its times are from %s to %s.", instant_text(0), instant_text(hlc_last_ms)),
                    errhint("Give a time in between.")));
}

void report_hlc_logical(int64 logical) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("logical part %lld is out of range", static_cast<long long>(logical)),
                    errdetail("An HLC timestamp has logical parts from 0 to %d.",
                              static_cast<int>(hlc_last_logical)),
                    errhint("Give a number in that range.")));
}

void report_seen_id(const Layout &layout, int64 id) {
    LayoutName name(layout);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%lld is no ID of layout \"%s\"", static_cast<long long>(id), name.text),
                    errdetail("The layout cannot have made it."),
                    errhint("Give the layout that the ID was made with.")));
}

void report_seen_ahead(const Layout &layout, int64 id, int64 lead_ms) {
    LayoutName name(layout);
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id),
                    seconds_text(lead_ms)),
             errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", name.text,
                       seconds_text(settings.max_lead_ms), seconds_text(settings.max_wait_ms)),
             errhint("Correct the clock that is wrong, or give the layout that the ID was made with.")));
}

void report_no_clock_bounds() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the clock of this machine is not synchronised"),
                    errdetail("The kernel's NTP state gives no bound of its error."),
                    errhint("Start chrony or ntpd, and wait until it has set the clock.")));
}

void report_not_past(TimestampTz at, int64 left_ms, int64 waited_ms) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("%s is past for certain only in %s", timestamptz_to_str(at), seconds_text(left_ms)),
             errdetail("Waited for %s; idgen.max_wait is %s.", seconds_text(waited_ms),
                       seconds_text(settings.max_wait_ms)),
             errhint("Raise idgen.max_wait to wait for it.")));
}

void report_never_past() {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("infinity is never past"),
                    errdetail("An instant is waited for that is finite."),
                    errhint("%s", "Give a finite timestamp.")));
}

}  // namespace idgen::pg
