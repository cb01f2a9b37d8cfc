#include "pg/report/report_renewal.hpp"

#include "core/kinds/decimal_id.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {

namespace {

// `required` is what idgen.require_clock_sync says.
void say_not_synchronized(int level, const char *required) {
    ereport(level, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the clock of this machine is not synchronized"),
            errdetail("The kernel's NTP state says so; idgen.require_clock_sync is \"%s\".", required),
            errhint("Start chrony, ntpd or systemd-timesyncd, or set idgen.require_clock_sync to off."));
}

void say_uncertain(int level, int64 error_ms, int64 limit_ms, const char *required) {
    ereport(level, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the clock of this machine may be wrong by %s", duration_text(error_ms)),
            errdetail("The kernel gives that bound, idgen.clock_error is %s, and idgen.require_clock_sync is \"%s\".",
                      duration_text(limit_ms), required),
            errhint("%s", uncertain_hint));
}

void say_disrupted(int level, const char *required) {
    ereport(
        level, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock of this machine may be wrong since it was moved to another host, or paused"),
        errdetail("The time service has not corrected it since; idgen.require_clock_sync is \"%s\".", required),
        errhint("Wait for chrony, ntpd or systemd-timesyncd, or restart it; or set idgen.require_clock_sync to off."));
}

}  // namespace

void report_clock_jumped(int64 jump_ms, int64 max_jump_ms) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the clock jumped forward by %s", duration_text(jump_ms)),
            errdetail("idgen.max_clock_jump is %s. No ID is stamped with a time that may be wrong.",
                      duration_text(max_jump_ms)),
            errhint("%s", accept_clock_hint));
}

void report_clock_not_synchronized() {
    say_not_synchronized(ERROR, "on");
    pg_unreachable();
}

void warn_clock_not_synchronized() {
    say_not_synchronized(WARNING, "warn");
}

void report_clock_uncertain(int64 error_ms, int64 limit_ms) {
    say_uncertain(ERROR, error_ms, limit_ms, "on");
    pg_unreachable();
}

void warn_clock_disrupted() {
    say_disrupted(WARNING, "warn");
}

void warn_clock_uncertain(int64 error_ms, int64 limit_ms) {
    say_uncertain(WARNING, error_ms, limit_ms, "warn");
}

namespace {

bool is_of_horizon(Record kind) noexcept {
    return kind == Record::horizon;
}

[[noreturn]] void report_no_record(Record kind) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        is_of_horizon(kind) ? errmsg("\"%s\" does not hold the durable horizon", sequence_of(kind))
                            : errmsg("\"%s\" does not hold the generators of DecimalIds", sequence_of(kind)),
        errdetail("The sequence of the extension is missing, or its pages are not as they were written."),
        is_of_horizon(kind)
            ? errhint(
                  "Create the extension again: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then idgen.advance() above the time of the last ID.")
            : errhint(
                  "Create the extension again: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then set idgen.decimal_launch to a number that was never used."));
}

[[noreturn]] void report_newer_record(Record kind) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("\"%s\" was written by a later version of idgen", sequence_of(kind)),
            errdetail("This version cannot read what it holds."), errhint("%s", later_version_hint));
}

[[noreturn]] void report_unlogged(Record kind) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("sequence \"%s\" is unlogged", sequence_of(kind)),
            is_of_horizon(kind) ? errdetail("The durable horizon must survive a crash.")
                                : errdetail("The generators of DecimalIds must survive a crash."),
            errhint("ALTER SEQUENCE %s SET LOGGED", sequence_of(kind)));
}

[[noreturn]] void report_uncommitted(Record kind) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("sequence \"%s\" is new in this transaction", sequence_of(kind)),
        errdetail(
            "It was created or got a new file: what is written to it now may be lost in a crash, although other sessions rely on it."),
        errhint("Commit before you make IDs."));
}

[[noreturn]] void report_out_of_bounds(int64 value, Record kind) {
    if (is_of_horizon(kind))
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the durable horizon %lld is out of bounds", static_cast<long long>(value)),
            errdetail("Sequence \"%s\" holds unix milliseconds of the years 2000 to 2200; something else wrote to it.",
                      sequence_of(kind)),
            errhint("Have a superuser call idgen.reset(at), at being above the time of the last ID."));
    ereport(
        ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no generator is left for DecimalIds"),
        errdetail("Sequence \"%s\" is at %lld, and generators end at %u.", sequence_of(kind),
                  static_cast<long long>(value), last_generator),
        errhint(
            "Set idgen.decimal_launch to a number that was never used here, for every session, and start again: ALTER SEQUENCE %s RESTART, and restart the server.",
            sequence_of(kind)));
}

[[noreturn]] void report_no_standby() {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("IDs need a synchronous standby, and none is configured"),
            errdetail("idgen.synchronous is \"required\", synchronous_standby_names is empty."),
            errhint("Set synchronous_standby_names, or idgen.synchronous to auto."));
}

[[noreturn]] void report_copied(int64 origin) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("this database is a copy of one on another server and keeps its shards"),
        errdetail(
            "The system identifier was %lld and is %lld: if both make IDs, they make the same ones. idgen.on_copy is \"refuse\".",
            static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
        errhint("%s", confirm_shards_hint));
}

[[noreturn]] void report_converted(int64 origin) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("this server was converted from a standby and keeps the shards of its primary"),
        errdetail(
            "The shards belong to server %lld, and this one became %lld after a promotion, as pg_createsubscriber does it: if both make IDs, they make the same ones.",
            static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
        errhint("%s", confirm_shards_hint));
}

[[noreturn]] void report_resumed(Record kind) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        is_of_horizon(kind)
            ? errmsg("this machine was resumed from a snapshot of its memory and keeps its shards")
            : errmsg("this machine was resumed from a snapshot of its memory and keeps its launch number"),
        errdetail("If the machine of before, or another copy of it, lives on, both make the same IDs."),
        is_of_horizon(kind)
            ? errhint("%s", confirm_machine_hint)
            : errhint(
                  "Set idgen.decimal_launch to a number that was never used, and let the sessions reconnect, unless the others are gone; then have a superuser call idgen.confirm_shards()."));
}

int detail_of(Renewal renewal, Record kind) {
    if (renewal == Renewal::locked)
        return errdetail("Another transaction holds a lock on sequence \"%s\".", sequence_of(kind));
    if (renewal == Renewal::origin_locked)
        return errdetail("Another transaction holds a lock on sequence \"idgen.origin\".");
    if (renewal == Renewal::not_acknowledged) return errdetail("The synchronous standbys have not confirmed it.");
    return errdetail("Another session is renewing it.");
}

}  // namespace

void report_refused(const Outcome &outcome, Record kind) {
    switch (outcome.renewal) {
        case Renewal::no_record:
            report_no_record(kind);
        case Renewal::newer_record:
            report_newer_record(kind);
        case Renewal::unlogged:
            report_unlogged(kind);
        case Renewal::uncommitted:
            report_uncommitted(kind);
        case Renewal::out_of_bounds:
            report_out_of_bounds(outcome.detail, kind);
        case Renewal::no_standby:
            report_no_standby();
        case Renewal::clock_jumped:
            report_clock_jumped(outcome.detail, outcome.limit_ms);
        case Renewal::clock_not_synchronized:
            report_clock_not_synchronized();
        case Renewal::clock_uncertain:
            report_clock_uncertain(outcome.detail, outcome.limit_ms);
        case Renewal::clock_disrupted:
            say_disrupted(ERROR, "on");
            pg_unreachable();
        case Renewal::copied:
            report_copied(outcome.detail);
        case Renewal::converted:
            report_converted(outcome.detail);
        case Renewal::resumed:
            report_resumed(kind);
        case Renewal::granted:
        case Renewal::locked:
        case Renewal::origin_locked:
        case Renewal::busy:
        case Renewal::not_flushed:
        case Renewal::not_acknowledged:
            break;
    }
    report_not_renewed(outcome.renewal, kind, 0);
}

void report_not_renewed(Renewal renewal, Record kind, int64 waited_ms) {
    const char *waited = duration_text(waited_ms);
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            is_of_horizon(kind) ? errmsg("the durable horizon was not renewed within %s", waited)
                                : errmsg("no generator for DecimalIds was taken within %s", waited),
            detail_of(renewal, kind), errhint("Resolve that, or increase idgen.max_wait."));
}

}  // namespace idgen::pg
