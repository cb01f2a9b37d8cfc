// What is wrong with the durable horizon.
#include "pg/message_text.hpp"
#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {

void report_no_horizon(const char *sequence) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("\"%s\" does not hold the durable horizon", sequence),
             errdetail("The sequence of the extension is missing, or its first page is not a sequence's."),
             errhint("Create the extension anew: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then "
                     "idgen_advance() above the time of the last ID.")));
}

void report_unlogged_horizon(const char *sequence) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("sequence \"%s\" is unlogged", sequence),
                    errdetail("The durable horizon must survive a crash."),
                    errhint("ALTER SEQUENCE %s SET LOGGED", sequence)));
}

void report_uncommitted_horizon(const char *sequence) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("sequence \"%s\" is new in this transaction", sequence),
             errdetail("With wal_level = minimal the durable horizon is not logged before it is committed."),
             errhint("Commit CREATE EXTENSION before you make IDs.")));
}

void report_horizon_bounds(const char *sequence, int64 horizon_ms) {
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("the durable horizon %lld is out of bounds", static_cast<long long>(horizon_ms)),
         errdetail("Sequence \"%s\" holds unix milliseconds of the years 2000 to 2200; something else wrote "
                   "to it.",
                   sequence),
         errhint("Have a superuser call idgen_reset() with a time that no ID has reached.")));
}

void report_bad_horizon(TimestampTz at) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("%s cannot be the durable horizon", timestamptz_to_str(at)),
             errdetail("It lies in the years 2000 to 2200."), errhint("Give an instant near the clock.")));
}

void report_superuser(const char *function) {
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", function),
             errdetail("A horizon that is lowered below the last ID makes duplicates."),
             errhint("Have a superuser call it.")));
}

void report_no_synchronous_standby() {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("IDs need a synchronous standby, and none is configured"),
                    errdetail("idgen.synchronous is \"required\", synchronous_standby_names is empty."),
                    errhint("Set synchronous_standby_names, or idgen.synchronous to auto.")));
}

void report_not_renewed(Renewal renewal) {
    const char *cause =
        renewal == Renewal::locked ? "Another transaction holds a lock on sequence \"idgen_horizon\"."
        : renewal == Renewal::not_acknowledged ? "The synchronous standbys have not confirmed it."
                                               : "Another session is at it.";
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the durable horizon was not renewed within %s", seconds_text(settings.max_wait_ms)),
             errdetail_internal("%s", cause), errhint("See to that, or raise idgen.max_wait.")));
}

}  // namespace idgen::pg
