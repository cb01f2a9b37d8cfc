// Facts of the server: library, copies, layouts, slots, schemas; the horizon, its renewals, and the clock.

#include "core/durable/horizon.hpp"
#include "pg/host/machine.hpp"
#include "pg/host/own_extension.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/report/preload.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

constexpr int64 ms_a_day = 86400000;
constexpr int64 days_a_year = 365;
// A layout that ends sooner should be replaced.
constexpr int64 shortest_life_ms = 2 * days_a_year * ms_a_day;

// One of them is behind: the library that runs, or the extension's SQL.
Fact other_version(const char *extension) {
    const char *text = psprintf("%s, and the extension is %s", library_version(), extension);
    if (is_library_at_least(extension)) return {"library", text, false, "ALTER EXTENSION idgen UPDATE"};
    return {"library", text, false, "Install the library of that version if it is not there, and restart."};
}

}  // namespace

Fact library_fact(const Survey &survey) {
    if (survey.is_loaded && survey.extension != nullptr && strcmp(survey.extension, library_version()) != 0)
        return other_version(survey.extension);
    const char *when =
        survey.is_preloaded
            ? "when the server started"
            : "by the first session that needed it; idgen.keys, idgen.max_slots, idgen.max_slots_per_database and idgen.max_databases need shared_preload_libraries";
    if (survey.is_loaded) return {"library", psprintf("%s, loaded %s", library_version(), when), true, nullptr};
    return {"library", "not loaded by the server", false, preload_hint()};
}

Fact server_fact(const Survey &survey) {
    if (!survey.in_recovery) return {"server", "makes IDs", true, nullptr};
    return {"server", "standby: its primary makes the IDs", true, nullptr};
}

// A layout without a shard is reported if shards are set: it ignores them.
Fact nodes_fact(const Survey &survey) {
    if (!survey.has_shardless) return {"nodes", "every layout in use tells nodes apart", true, nullptr};
    const char *text = psprintf("%s is for one node only", LayoutName(survey.shardless).text);
    if (!has_shards()) return {"nodes", text, true, nullptr};
    return {
        "nodes", text, false,
        "It has no shard, so idgen.shards does not keep its IDs apart: if another node makes them too, use a layout with a shard."};
}

Fact copy_fact(const Survey &survey) {
    if (survey.is_resumed)
        return {"copy", "of a machine with its memory, with its shards", false, confirm_machine_hint};
    if (survey.copied_from == 0)
        return {"copy", "this database is not a copy, or its shards are confirmed", true, nullptr};
    return {"copy",
            psprintf("of a database of the system %lld, with its shards", static_cast<long long>(survey.copied_from)),
            false, confirm_shards_hint};
}

namespace {

constexpr const char *unnoticed = "a copy of its memory would not be noticed";

// The value of the row if the host shows copies.
const char *copies_text(const Survey &survey) {
    if (survey.machine_copied == 0) return "its host tells of copies";
    return psprintf("its host tells of copies: resumed from a snapshot %u time%s since the server started",
                    survey.machine_copied, survey.machine_copied == 1 ? "" : "s");
}

}  // namespace

Fact machine_fact(const Survey &survey) {
    const char *name = watched_machine.name;
    if (is_page_lost())
        return {"machine", psprintf("\"%s\" became shorter", name), false,
                "Write the file again, in place, and restart the server."};
    if (survey.is_clock_doubtful && is_clock_judged(survey.clock_use))
        return {"machine", "moved to another host, or paused, and its clock not corrected since", false,
                "See that chrony, ntpd or systemd-timesyncd runs."};
    switch (watched_machine.told) {
        case MachineTold::generation:
            return {"machine", copies_text(survey), true, nullptr};
        case MachineTold::disruptions:
        case MachineTold::no_page:
            return {"machine", psprintf("its host does not tell of copies: %s", unnoticed), true, nullptr};
        case MachineTold::denied:
            return {"machine", psprintf("the server may not read \"%s\": %s", name, unnoticed), false,
                    machine_denied_hint};
        case MachineTold::nothing:
            break;
    }
    return {"machine",
            psprintf("%s: %s", name == nullptr ? "idgen.machine_generation is off" : "its kernel has no /dev/vmclock0",
                     unnoticed),
            true, nullptr};
}

Fact layout_fact(const Survey &survey) {
    LayoutName name(survey.ending);
    int64 left_ms = survey.end_ms - survey.now_ms;
    const char *end = instant_text(survey.end_ms);
    if (left_ms <= 0) {
        const char *text = psprintf("%s ended at %s, %s ago", name.text, end, duration_text(-left_ms));
        return {"layout", text, false, "next_id() is an error: move to a layout that ends later."};
    }
    const char *text = psprintf("%s ends at %s, in %s", name.text, end, duration_text(left_ms));
    if (left_ms >= shortest_life_ms) return {"layout", text, true, nullptr};
    return {"layout", text, false,
            "Plan the move to a layout that ends later: after that time next_id() raises an error."};
}

Fact schemas_fact(const Survey &survey) {
    const OpenSchemas &schemas = survey.schemas;
    if (schemas.open[0] == '\0')
        return {"schemas", psprintf("no ordinary role may create functions in %s", schemas.closed), true, nullptr};
    return {"schemas", psprintf("%s: a function next_id(integer) there would be called for next_id(5)", schemas.open),
            false, schemas.revoke};
}

Fact slots_fact(const Survey &survey) {
    const char *text = psprintf("%u of %u in this database, %u of %u in all", survey.slots, survey.slots_limit,
                                survey.server_slots, survey.server_slots_limit);
    bool is_ample = survey.slots < survey.slots_limit && survey.server_slots < survey.server_slots_limit;
    if (is_ample && survey.others_used)
        return {
            "slots", psprintf("%s; those left are for this node's own shards in presets", text), false,
            "Another shard or layout needs one that is idle: put the shards that this node owns into idgen.shards, or increase idgen.max_slots_per_database, or idgen.max_slots and restart."};
    text = psprintf("%s; IDs are made in %u of at most %u databases", text, survey.server_databases,
                    survey.server_databases_limit);
    if (is_ample && survey.server_databases >= survey.server_databases_limit)
        return {"slots", text, false, "No other database can make IDs: increase idgen.max_databases and restart."};
    if (is_ample) return {"slots", text, true, nullptr};
    return {
        "slots", text, false,
        "The next shard needs one that is idle. Increase idgen.max_slots_per_database, or idgen.max_slots and restart."};
}

// Facts of time: horizon, renewals, clocks, and the standbys that confirm them.

namespace {

// A renewal that takes longer is held up by something.
constexpr uint32 longest_stall_ms = 5000;

// Signed, for differences: -1500 -> "-1.500 s"
const char *difference_text(int64 ms) {
    return ms < 0 ? psprintf("-%s", duration_text(-ms)) : psprintf("+%s", duration_text(ms));
}

}  // namespace

Fact horizon_fact(const Survey &survey) {
    if (survey.page == Renewal::locked)
        return {"horizon", "not known: its sequence is locked", false,
                "Find in pg_locks the session that locks the sequence idgen.horizon, and end it."};
    if (survey.page == Renewal::unlogged)
        return {"horizon", "unlogged", false, "ALTER SEQUENCE idgen.horizon SET LOGGED"};
    if (survey.page == Renewal::newer_record)
        return {"horizon", "written by a later version of idgen", false, later_version_hint};
    if (survey.page == Renewal::out_of_bounds)
        return {
            "horizon", "out of bounds", false,
            "Something else wrote to the sequence idgen.horizon; have a superuser call idgen.reset(at), at being above the time of the last ID."};
    if (survey.page != Renewal::granted)
        return {"horizon", "missing", false,
                "Create the extension again, then call idgen.advance() above the time of the last ID."};
    const char *text = instant_text(survey.horizon_ms);
    if (survey.in_recovery || survey.horizon_ms - survey.now_ms <= horizon_rules().farthest_ms())
        return {"horizon", text, true, nullptr};
    text = psprintf("%s, %s ahead of the clock", text, duration_text(survey.horizon_ms - survey.now_ms));
    return {"horizon", text, false, survey.advanced_ms >= survey.horizon_ms ? advanced_hint : far_horizon_hint};
}

Fact renewal_fact(const Survey &survey) {
    const char *last = survey.renewed_ms == 0 ? "none since the server started"
                                              : psprintf("%llu since the server started, last at %s",
                                                         static_cast<unsigned long long>(survey.renewals),
                                                         instant_text(survey.renewed_ms));
    if (survey.stall_ms <= longest_stall_ms) return {"renewal", last, true, nullptr};
    return {"renewal", psprintf("asked for in vain for %s; %s", duration_text(survey.stall_ms), last), false,
            "See the rows clock, ntp and standby, and pg_locks for locks on the sequence idgen.horizon."};
}

Fact lead_fact(const Survey &survey) {
    if (survey.lead_ms <= settings.max_lead_ms)
        return {"lead",
                psprintf("%s of at most %s", duration_text(survey.lead_ms), duration_text(settings.max_lead_ms)), true,
                nullptr};
    const char *text = psprintf("%s, more than %s", duration_text(survey.lead_ms), duration_text(settings.max_lead_ms));
    if (explains(-survey.clock_offset_ms, survey.lead_ms - settings.max_lead_ms))
        return {"lead", text, false, "The clock is behind the last IDs: correct it, or wait until it has caught up."};
    return {"lead", text, false,
            "IDs of that shard wait until then; a larger idgen.max_lead, as it was, lets them go on."};
}

namespace {

// A transaction that keeps readers waiting for longer is forgotten rather than busy.
constexpr int64 longest_hold_ms = 300000;

const char *holder_text(const Survey &survey) {
    if (survey.settled.held_by != HeldBy::process)
        return psprintf("the prepared transaction %u", survey.settled.holder);
    if (survey.held_since == 0) return psprintf("the session %u", survey.holder_pid);
    return psprintf("the session %u, in a transaction since %s", survey.holder_pid,
                    instant_text(ms_down(survey.held_since)));
}

const char *told_by_primary(const Survey &survey) {
    bool is_told = survey.page == Renewal::granted && survey.told_until != none_settled;
    return is_told ? psprintf("up to %s, as its primary last said", instant_text(ms_of_until(survey.told_until)))
                   : "its primary has not said anything yet";
}

}  // namespace

// Up to where readers by ID may read.
Fact settled_fact(const Survey &survey) {
    if (!survey.has_settled) return {"settled", told_by_primary(survey), true, nullptr};
    const Settled &settled = survey.settled;
    if (settled.held_by == HeldBy::none) return {"settled", "up to the clock", true, nullptr};
    const char *holder = holder_text(survey);
    if (settled.held_by == HeldBy::unknown)
        return {
            "settled", psprintf("not known: %s is older than the start of the server", holder), false,
            "id_settled() stands still until it ends: see pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED."};
    const char *text = psprintf("up to %s, held by %s", instant_text(settled.until_ms), holder);
    if (settled_lag_ms(survey) <= longest_hold_ms) return {"settled", text, true, nullptr};
    if (settled.held_by == HeldBy::process)
        return {
            "settled", text, false,
            "Who reads by ID waits for it: see pg_stat_activity, and have it end its transaction, or pg_terminate_backend()."};
    return {"settled", text, false,
            "Who reads by ID waits for it: see pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED."};
}

// A clock that was set back is judged by the lead that it leaves.
Fact clock_fact(const Survey &survey) {
    if (!survey.has_accepted_clock) return {"clock", "nothing to compare with before the first ID", true, nullptr};
    const char *text = psprintf(
        "%s from the one accepted; set forward %llu times, back %llu times", difference_text(survey.clock_offset_ms),
        static_cast<unsigned long long>(survey.steps_forward), static_cast<unsigned long long>(survey.steps_back));
    if (survey.clock_offset_ms > settings.max_clock_jump_ms)
        return {
            "clock", text, false,
            "It jumped forward by more than idgen.max_clock_jump: correct it; or, if it is right now, have a superuser call idgen.accept_clock()."};
    return {"clock", text, true, nullptr};
}

namespace {

const char *use_text(ClockUse use) {
    switch (use) {
        case ClockUse::setting:
            return "idgen.require_clock_sync asks for it";
        case ClockUse::registry:
            return "no failover rests on it, because numbers come from a registry";
        case ClockUse::synchronous:
            return "failover to a synchronous standby does not rest on it";
        case ClockUse::promotion:
            return "its promotion rests on it, unless its primary holds it for synchronous";
        case ClockUse::standby:
            return "failover to its standby rests on it";
        case ClockUse::archive:
            return "a restore from its archive rests on it";
        case ClockUse::none:
            break;
    }
    return "no failover rests on it, because no standby and no archive is known";
}

}  // namespace

// Judged only if something rests on it: between two polls of a healthy time service the kernel's bound can exceed
// idgen.clock_error.
Fact ntp_fact(const Survey &survey) {
    const char *use = use_text(survey.clock_use);
    bool is_judged = is_clock_judged(survey.clock_use);
    if (!survey.kernel.is_synchronized)
        return {"ntp", psprintf("the kernel's clock is not synchronized; %s", use), !is_judged,
                is_judged ? "Start chrony, ntpd or systemd-timesyncd." : nullptr};
    const char *text = psprintf("synchronized, off by at most %s", duration_text(error_ms_of(survey.kernel)));
    if (is_within(survey.kernel, settings.clock_error_ms)) return {"ntp", psprintf("%s; %s", text, use), true, nullptr};
    return {"ntp",
            psprintf("%s, more than idgen.clock_error, %s; %s", text, duration_text(settings.clock_error_ms), use),
            !is_judged, is_judged ? uncertain_hint : nullptr};
}

Fact standby_fact(const Survey &survey) {
    if (survey.lacks_standbys)
        return {"standby", "required, and none is configured", false,
                "Set synchronous_standby_names, or idgen.synchronous to auto: no ID is made."};
    if (!survey.has_standby_names) return {"standby", "no synchronous standby", true, nullptr};
    const char *text = psprintf("%u synchronous standby%s connected", survey.standbys, survey.standbys == 1 ? "" : "s");
    if (survey.standbys > 0 || survey.in_recovery) return {"standby", text, true, nullptr};
    return {"standby", text, false, "See pg_stat_replication: no ID is made without their confirmation."};
}

}  // namespace idgen::pg
