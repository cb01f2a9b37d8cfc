#include "pg/report/report_horizon.hpp"

#include "core/kinds/decimal_id.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/record_name.hpp"
#include "pg/report/report_clock.hpp"

namespace idgen::pg {
namespace {

bool is_of_horizon(Record kind) noexcept {
    return kind == Record::horizon;
}

[[noreturn]] void report_no_record(Record kind, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                is_of_horizon(kind) ? errmsg("\"%s\" does not hold the durable horizon", sequence_of(kind))
                                    : errmsg("\"%s\" does not hold the generators of DecimalIds", sequence_of(kind)),
                errdetail("The sequence of the extension is missing, or its pages are not as they were written."),
                is_of_horizon(kind)
                    ? errhint("Create the extension anew: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then "
                              "idgen.advance() above the time of the last ID.")
                    : errhint("Create the extension anew: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then "
                              "set idgen.decimal_launch to a number that was never used.")));
}

[[noreturn]] void report_newer_record(Record kind, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("\"%s\" was written by a later version of idgen", sequence_of(kind)),
                errdetail("This version cannot read what it holds."), errhint("%s", later_version_hint)));
}

[[noreturn]] void report_unlogged(Record kind, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("sequence \"%s\" is unlogged", sequence_of(kind)),
         is_of_horizon(kind) ? errdetail("The durable horizon must survive a crash.")
                             : errdetail("The generators of DecimalIds must survive a crash."),
         errhint("ALTER SEQUENCE %s SET LOGGED", sequence_of(kind))));
}

[[noreturn]] void report_uncommitted(Record kind, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("sequence \"%s\" is new in this transaction", sequence_of(kind)),
                errdetail("It was created or got a new file: what is written to it now may be gone after "
                          "a crash, while others "
                          "rest on it."),
                errhint("Commit before you make IDs.")));
}

[[noreturn]] void report_out_of_bounds(int64 value, Record kind, Location at) {
    if (is_of_horizon(kind))
        ereport_at(at, ERROR,
                   (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the durable horizon %lld is out of bounds", static_cast<long long>(value)),
                    errdetail("Sequence \"%s\" holds unix milliseconds of the years 2000 to 2200; something else "
                              "wrote to it.",
                              sequence_of(kind)),
                    errhint("Have a superuser call idgen.reset() with a time that no ID has reached.")));
    ereport_at(at, ERROR,
               (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no generator is left for DecimalIds"),
                errdetail("Sequence \"%s\" is at %lld, and generators end at %u.", sequence_of(kind),
                          static_cast<long long>(value), last_generator),
                errhint("Set idgen.decimal_launch to a number that was never used here, for every session, and "
                        "begin anew: ALTER SEQUENCE %s RESTART, and restart the server.",
                        sequence_of(kind))));
}

[[noreturn]] void report_no_standby(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("IDs need a synchronous standby, and none is configured"),
                errdetail("idgen.synchronous is \"required\", synchronous_standby_names is empty."),
                errhint("Set synchronous_standby_names, or idgen.synchronous to auto.")));
}

[[noreturn]] void report_copied(int64 origin, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this database is a copy of one on another server and keeps its shards"),
                errdetail("The system identifier was %lld and is %lld: if both make IDs, they make the same ones. "
                          "idgen.on_copy is \"refuse\".",
                          static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
                errhint("%s", confirm_shards_hint)));
}

[[noreturn]] void report_converted(int64 origin, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this server was converted from a standby and keeps the shards of its primary"),
                errdetail("The shards belong to server %lld, and this one became %lld after a promotion, as "
                          "pg_createsubscriber does it: if both make IDs, they make the same ones.",
                          static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
                errhint("%s", confirm_shards_hint)));
}

int detail_of(Renewal renewal, Record kind) {
    if (renewal == Renewal::locked)
        return errdetail("Another transaction holds a lock on sequence \"%s\".", sequence_of(kind));
    if (renewal == Renewal::origin_locked)
        return errdetail("Another transaction holds a lock on sequence \"idgen.origin\".");
    if (renewal == Renewal::not_acknowledged) return errdetail("The synchronous standbys have not confirmed it.");
    return errdetail("Another session is renewing it.");
}

int detail_of(RiskyCall call) {
    switch (call) {
        case RiskyCall::reset:
            return errdetail("A horizon that is lowered below the last ID makes duplicates.");
        case RiskyCall::confirm_shards:
            break;
    }
    return errdetail("Two servers with the same shards make the same IDs.");
}

const char *name_of(RiskyCall call) noexcept {
    return call == RiskyCall::reset ? "idgen.reset" : "idgen.confirm_shards";
}

}  // namespace

void report_refused(const Outcome &outcome, Record kind, Location at) {
    switch (outcome.renewal) {
        case Renewal::no_record:
            report_no_record(kind, at);
        case Renewal::newer_record:
            report_newer_record(kind, at);
        case Renewal::unlogged:
            report_unlogged(kind, at);
        case Renewal::uncommitted:
            report_uncommitted(kind, at);
        case Renewal::out_of_bounds:
            report_out_of_bounds(outcome.detail, kind, at);
        case Renewal::no_standby:
            report_no_standby(at);
        case Renewal::clock_jumped:
            report_clock_jumped(outcome.detail, outcome.limit_ms, at);
        case Renewal::clock_not_synchronised:
            report_clock_not_synchronised(at);
        case Renewal::clock_uncertain:
            report_clock_uncertain(outcome.detail, outcome.limit_ms, at);
        case Renewal::copied:
            report_copied(outcome.detail, at);
        case Renewal::converted:
            report_converted(outcome.detail, at);
        case Renewal::granted:
        case Renewal::locked:
        case Renewal::origin_locked:
        case Renewal::busy:
        case Renewal::not_acknowledged:
            break;
    }
    report_not_renewed(outcome.renewal, kind, 0, at);
}

void report_not_renewed(Renewal renewal, Record kind, int64 waited_ms, Location at) {
    const char *waited = seconds_text(waited_ms);
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                is_of_horizon(kind) ? errmsg("the durable horizon was not renewed within %s", waited)
                                    : errmsg("no generator for DecimalIds was taken within %s", waited),
                detail_of(renewal, kind), errhint("See to that, or raise idgen.max_wait.")));
}

void report_bad_horizon(TimestampTz instant, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%s cannot be the durable horizon", timestamptz_to_str(instant)),
                errdetail("It lies in the years 2000 to 2200."), errhint("Give an instant near the clock.")));
}

void report_not_superuser(RiskyCall call, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", name_of(call)),
                detail_of(call), errhint("Have a superuser call it.")));
}

void report_checkpoint_ahead(int64 checkpoint_ms, int64 now_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock is %s behind this server's last checkpoint", seconds_text(checkpoint_ms - now_ms)),
                errdetail("The clock says %s, the checkpoint says %s. IDs of an earlier idgen may lie between.",
                          instant_text(now_ms), instant_text(checkpoint_ms)),
                errhint("Correct the clock; or, if it is right now, CHECKPOINT and try again.")));
}

}  // namespace idgen::pg
