#include "pg/report/report_renewal.hpp"

namespace idgen::pg {

Refusal doubt_of_clock(const Outcome &clock, const char *required) {
    if (clock.renewal == Renewal::clock_uncertain)
        return {
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            psprintf("the clock of this machine may be wrong by %s", duration_text(clock.detail)),
            psprintf("The kernel gives that bound, idgen.clock_error is %s, and idgen.require_clock_sync is \"%s\".",
                     duration_text(clock.limit_ms), required),
            uncertain_hint, "ntp"};
    if (clock.renewal == Renewal::clock_disrupted)
        return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                "the clock of this machine may be wrong since it was moved to another host, or paused",
                psprintf("The time service has not corrected it since; idgen.require_clock_sync is \"%s\".", required),
                "Wait for chrony, ntpd or systemd-timesyncd, or restart it; or set idgen.require_clock_sync to off.",
                "machine"};
    if (clock.renewal == Renewal::clock_unknown)
        return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "this system does not say whether its clock is synchronized",
                psprintf("It has no word of the kernel; idgen.require_clock_sync is \"%s\".", required),
                "Set idgen.require_clock_sync to off, and have the clock watched from outside.", "ntp"};
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "the clock of this machine is not synchronized",
            psprintf("The kernel's NTP state says so; idgen.require_clock_sync is \"%s\".", required),
            "Start chrony, ntpd or systemd-timesyncd, or set idgen.require_clock_sync to off.", "ntp"};
}

const char *detail_of_copy(int64 origin) {
    return psprintf("The system identifier was %lld and is %lld: if both make IDs, they make the same ones.",
                    static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier()));
}

namespace {

Refusal clock_jumped(const Outcome &outcome) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            psprintf("the clock jumped forward by %s", duration_text(outcome.detail)),
            psprintf("idgen.max_clock_jump is %s. No ID is stamped with a time that may be wrong.",
                     duration_text(outcome.limit_ms)),
            accept_clock_hint, "clock"};
}

Refusal no_standby() {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "IDs need a synchronous standby, and none is configured",
            "idgen.synchronous is \"required\", synchronous_standby_names is empty.",
            "Set synchronous_standby_names, or idgen.synchronous to auto.", "standby"};
}

Refusal copied(int64 origin) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "this database is a copy of one on another server and keeps its shards",
            psprintf("%s idgen.on_copy is \"refuse\".", detail_of_copy(origin)), confirm_shards_hint, "copy"};
}

Refusal converted(int64 origin) {
    return {
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        "this server was converted from a standby and keeps the shards of its primary",
        psprintf(
            "The shards belong to server %lld, and this one became %lld after a promotion, as pg_createsubscriber does it: if both make IDs, they make the same ones.",
            static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
        confirm_shards_hint, "copy"};
}

// Of a sequence that holds no record, or not one to rest on.

Refusal newer_record(Record kind) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            psprintf("\"%s\" was written by a later version of idgen", sequence_of(kind)),
            "This version cannot read what it holds.",
            "Install the version of idgen that the database was used with, and restart.", "horizon"};
}

Refusal unlogged(Record kind) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, psprintf("sequence \"%s\" is unlogged", sequence_of(kind)),
            kind == Record::horizon ? "The durable horizon must survive a crash."
                                    : "The generators of DecimalIds must survive a crash.",
            psprintf("ALTER SEQUENCE %s SET LOGGED", sequence_of(kind)), "horizon"};
}

Refusal uncommitted(Record kind) {
    return {
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        psprintf("sequence \"%s\" is new in this transaction", sequence_of(kind)),
        "It was created or got a new file: what is written to it now may be lost in a crash, although other sessions rely on it.",
        "Commit before you make IDs.", "horizon"};
}

Refusal no_record(Record kind) {
    bool is_horizon = kind == Record::horizon;
    return {
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        is_horizon ? psprintf("\"%s\" does not hold the durable horizon", sequence_of(kind))
                   : psprintf("\"%s\" does not hold the generators of DecimalIds", sequence_of(kind)),
        "The sequence of the extension is missing, or its pages are not as they were written.",
        is_horizon
            ? "Create the extension again: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then idgen.advance() above the time of the last ID."
            : "Create the extension again: DROP EXTENSION idgen, then CREATE EXTENSION idgen, then set idgen.decimal_launch to a number that was never used.",
        "horizon"};
}

Refusal horizon_out_of_bounds(int64 value) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            psprintf("the durable horizon %lld is out of bounds", static_cast<long long>(value)),
            psprintf("Sequence \"%s\" holds unix milliseconds of the years 2000 to 2200; something else wrote to it.",
                     sequence_of(Record::horizon)),
            "Have a superuser call idgen.reset(at, force => true), at being above the time of the last ID.", "horizon"};
}

Refusal no_generator_left(int64 value) {
    const char *sequence = sequence_of(Record::generator);
    return {
        ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED, "no generator is left for DecimalIds",
        psprintf("Sequence \"%s\" is at %lld, and generators end at %u.", sequence, static_cast<long long>(value),
                 last_generator),
        psprintf(
            "Set idgen.decimal_launch to a number that was never used here, for every session, and start again: ALTER SEQUENCE %s RESTART, and restart the server.",
            sequence),
        "horizon"};
}

// Of a machine that is a copy with its memory.
Refusal resumed(bool is_horizon) {
    return {
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        is_horizon ? "this machine was resumed from a snapshot of its memory and keeps its shards"
                   : "this machine was resumed from a snapshot of its memory and keeps its launch number",
        resumed_detail,
        is_horizon
            ? confirm_shards_hint
            : "Set idgen.decimal_launch to a number that was never used, and let the sessions reconnect, unless the others are gone; then have a superuser call idgen.confirm_shards().",
        "copy"};
}

// Of what a wait can help against.

const char *held_up_by(Renewal renewal, Record kind) {
    if (renewal == Renewal::locked)
        return psprintf("Another transaction holds a lock on sequence \"%s\".", sequence_of(kind));
    if (renewal == Renewal::origin_locked) return "Another transaction holds a lock on sequence \"idgen.origin\".";
    if (renewal == Renewal::not_acknowledged) return "The synchronous standbys have not confirmed it.";
    return "Another session is renewing it.";
}

Refusal not_renewed(Renewal renewal, Record kind, int64 waited_ms) {
    const char *waited = duration_text(waited_ms);
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            kind == Record::horizon ? psprintf("the durable horizon was not renewed within %s", waited)
                                    : psprintf("no generator for DecimalIds was taken within %s", waited),
            held_up_by(renewal, kind), "Resolve that, or increase idgen.max_wait.",
            renewal == Renewal::not_acknowledged ? "standby" : "renewal"};
}

}  // namespace

Refusal refusal_of_renewal(const Outcome &outcome, Record kind, int64 waited_ms) {
    bool is_horizon = kind == Record::horizon;
    switch (outcome.renewal) {
        case Renewal::no_record:
            return no_record(kind);
        case Renewal::newer_record:
            return newer_record(kind);
        case Renewal::unlogged:
            return unlogged(kind);
        case Renewal::uncommitted:
            return uncommitted(kind);
        case Renewal::out_of_bounds:
            return is_horizon ? horizon_out_of_bounds(outcome.detail) : no_generator_left(outcome.detail);
        case Renewal::no_standby:
            return no_standby();
        case Renewal::clock_jumped:
            return clock_jumped(outcome);
        case Renewal::clock_not_synchronized:
        case Renewal::clock_unknown:
        case Renewal::clock_uncertain:
        case Renewal::clock_disrupted:
            return doubt_of_clock(outcome, "on");
        case Renewal::copied:
            return copied(outcome.detail);
        case Renewal::converted:
            return converted(outcome.detail);
        case Renewal::resumed:
            return resumed(is_horizon);
        case Renewal::granted:
        case Renewal::not_above:
        case Renewal::locked:
        case Renewal::origin_locked:
        case Renewal::busy:
        case Renewal::not_flushed:
        case Renewal::not_acknowledged:
            break;
    }
    return not_renewed(outcome.renewal, kind, waited_ms);
}

}  // namespace idgen::pg
