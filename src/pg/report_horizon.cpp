// What is wrong with the durable horizon.
#include "core/decimal_id.hpp"
#include "pg/message_text.hpp"
#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

bool is_horizon(const char *sequence) noexcept {
    return strcmp(sequence, "idgen_horizon") == 0;
}

const char *content_of(const char *sequence) noexcept {
    return is_horizon(sequence) ? "the durable horizon" : "the generators of DecimalIds";
}

const char *cause_of(Renewal renewal, const char *sequence) {
    if (renewal == Renewal::locked)
        return psprintf("Another transaction holds a lock on sequence \"%s\".", sequence);
    if (renewal == Renewal::not_acknowledged) return "The synchronous standbys have not confirmed it.";
    return "Another session is at it.";
}

}  // namespace

void report_no_horizon(const char *sequence) {
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("\"%s\" does not hold %s", sequence, content_of(sequence)),
         errdetail("The sequence of the extension is missing, or its first page is not a sequence's."),
         is_horizon(sequence)
             ? errhint("Create the extension anew: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then "
                       "idgen_advance() above the time of the last ID.")
             : errhint("Create the extension anew: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then "
                       "set idgen.decimal_launch to a number that was never used.")));
}

void report_unlogged_horizon(const char *sequence) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("sequence \"%s\" is unlogged", sequence),
                    is_horizon(sequence) ? errdetail("The durable horizon must survive a crash.")
                                         : errdetail("The generators of DecimalIds must survive a crash."),
                    errhint("ALTER SEQUENCE %s SET LOGGED", sequence)));
}

void report_uncommitted_horizon(const char *sequence) {
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("sequence \"%s\" is new in this transaction", sequence),
         is_horizon(sequence)
             ? errdetail("With wal_level = minimal the durable horizon is not logged before it is committed.")
             : errdetail("With wal_level = minimal the generators are not logged before it is committed."),
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
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the durable horizon was not renewed within %s", seconds_text(settings.max_wait_ms)),
             errdetail_internal("%s", cause_of(renewal, "idgen_horizon")),
             errhint("See to that, or raise idgen.max_wait.")));
}

void report_no_generator(int64 last) {
    ereport(ERROR, (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                    errmsg("no generator is left for DecimalIds"),
                    errdetail("Sequence \"idgen_generator\" is at %lld, and generators end at %u.",
                              static_cast<long long>(last), last_generator),
                    errhint("Set idgen.decimal_launch to a number that was never used here, for every "
                            "session, and begin anew: "
                            "SELECT setval('idgen_generator', 0), and restart the server.")));
}

void report_generator_not_taken(Renewal renewal) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("no generator for DecimalIds was taken within %s", seconds_text(settings.max_wait_ms)),
             errdetail_internal("%s", cause_of(renewal, "idgen_generator")),
             errhint("See to that, or raise idgen.max_wait.")));
}

}  // namespace idgen::pg
