#include "pg/report/report_clock.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

// `required` is what idgen.require_clock_sync says.
void tell_not_synchronised(int level, const char *required, Location at) {
    ereport_at(
        at, level,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the clock of this machine is not synchronised"),
         errdetail("The kernel's NTP state says so; idgen.require_clock_sync is \"%s\".", required),
         errhint("Start chrony, ntpd or systemd-timesyncd, or set idgen.require_clock_sync to "
                 "off.")));
}

void tell_uncertain(int level, int64 error_ms, int64 limit_ms, const char *required, Location at) {
    ereport_at(at, level,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock of this machine may be wrong by %s", seconds_text(error_ms)),
                errdetail("The kernel gives that bound, idgen.clock_error is %s, and "
                          "idgen.require_clock_sync is \"%s\".",
                          seconds_text(limit_ms), required),
                errhint("%s", uncertain_hint)));
}

}  // namespace

void report_clock_jumped(int64 jump_ms, int64 max_jump_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock jumped forward by %s", seconds_text(jump_ms)),
                errdetail("idgen.max_clock_jump is %s. No ID is stamped with a time that may be wrong.",
                          seconds_text(max_jump_ms)),
                errhint("%s", accept_clock_hint)));
}

void report_clock_not_synchronised(Location at) {
    tell_not_synchronised(ERROR, "on", at);
    pg_unreachable();
}

void warn_clock_not_synchronised(Location at) {
    tell_not_synchronised(WARNING, "warn", at);
}

void report_clock_uncertain(int64 error_ms, int64 limit_ms, Location at) {
    tell_uncertain(ERROR, error_ms, limit_ms, "on", at);
    pg_unreachable();
}

void warn_clock_uncertain(int64 error_ms, int64 limit_ms, Location at) {
    tell_uncertain(WARNING, error_ms, limit_ms, "warn", at);
}

void report_no_clock_bounds(Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the clock of this machine is not synchronised"),
         errdetail("The kernel's NTP state gives no bound of its error."),
         errhint("Start chrony or ntpd, and wait until it has set the clock.")));
}

void report_not_past(TimestampTz instant, int64 left_ms, int64 waited_ms, int64 max_wait_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("%s is past for certain only in %s", timestamptz_to_str(instant), seconds_text(left_ms)),
                errdetail("Waited for %s; idgen.max_wait is %s.", seconds_text(waited_ms), seconds_text(max_wait_ms)),
                errhint("Raise idgen.max_wait to wait for it.")));
}

void report_never_past(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("infinity is never past"),
                errdetail("An instant is waited for that is finite."), errhint("%s", finite_hint)));
}

}  // namespace idgen::pg
