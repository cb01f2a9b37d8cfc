// Facts of the server: library, copies, layouts, slots, schemas; the horizon, its renewals, and the clock.

#include "pg/host/machine.hpp"
#include "pg/host/rows.hpp"
#include "pg/host/stored_settings.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// A layout that ends sooner should be replaced: two years.
constexpr int64 shortest_life_ms = int64{2} * 365 * 86400000;

// What a renewal would be refused for.
Fact fact_of_renewal(const Outcome &outcome) {
    Refusal why = refusal_of_renewal(outcome, Record::horizon, 0);
    return {why.what, false, why.advice};
}

constexpr const char *unnoticed = "a copy of its memory would not be noticed";

// The value of the row if the host shows copies.
const char *copies_text(const Survey &survey) {
    if (survey.machine_copied == 0) return "its host tells of copies";
    return psprintf("its host tells of copies: resumed from a snapshot %u time%s since the server started",
                    survey.machine_copied, survey.machine_copied == 1 ? "" : "s");
}

// A renewal that takes longer is held up by something.
constexpr uint32 longest_stall_ms = 5000;

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

const char *use_text(ClockUse use) {
    switch (use) {
        case ClockUse::setting:
            return "idgen.require_clock_sync asks for it";
        case ClockUse::registry:
            return "no failover rests on it, because shards come from a registry";
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

Fact library_fact(const Survey &survey) {
    // One of them is behind: the library that runs, or the extension's SQL.
    if (survey.is_loaded && survey.extension != nullptr && strcmp(survey.extension, library_version()) != 0)
        return {psprintf("%s, and the extension is %s", library_version(), survey.extension), false,
                is_library_at_least(survey.extension)
                    ? "ALTER EXTENSION idgen UPDATE"
                    : "Install the library of that version if it is not there, and restart."};
    const char *when =
        survey.is_preloaded
            ? "when the server started"
            : "by the first session that needed it; idgen.keys, idgen.max_slots, idgen.max_slots_per_database and idgen.max_databases need shared_preload_libraries";
    if (survey.is_loaded) return {psprintf("%s, loaded %s", library_version(), when), true, nullptr};
    return {"not loaded by the server", false, preload_hint()};
}

// The row that says why no ID is made has the words of the error. Where those send to idgen.status(), it has its own.
Fact fact_of(const FactSource &source, const Survey &survey) {
    Fact fact = source.fact(survey);
    const Refusal &why = survey.outlook.refusal;
    bool is_why = fact.value != nullptr && why.row != nullptr && strcmp(source.key, why.row) == 0;
    if (!is_why || (!fact.is_ok && why.advice == see_registry_hint)) return fact;
    return {psprintf("%s. %s", why.what, why.detail), false, why.advice};
}

// Whether IDs are made, as a draw would find it (outlook.cpp); another row says why not.
Fact server_fact(const Survey &survey) {
    const Outlook &outlook = survey.outlook;
    if (survey.in_recovery) return {"standby: its primary makes the IDs", true, nullptr};
    if (!survey.is_loaded) return {"makes no IDs: see library", false, preload_hint()};
    if (outlook.awaits_number) return {"makes IDs as soon as the registry grants a shard", true, nullptr};
    // Those of a role or of this session are not what others draw with.
    bool is_own = settings.shards_source > PGC_S_DATABASE;
    if (outlook.makes_ids && is_own)
        return {psprintf("makes IDs with the shards set by %s", origin_of(settings.shards_source)), true, nullptr};
    if (outlook.makes_ids) return {"makes IDs", true, nullptr};
    const char *advice = outlook.refusal.advice == see_registry_hint ? "See that row." : outlook.refusal.advice;
    const char *text = psprintf("makes no IDs: see %s", outlook.refusal.row);
    if (outlook.found_ms != 0)
        text = psprintf("%s, as a session found %s ago", text, duration_text(survey.now_ms - outlook.found_ms));
    return {text, false, advice};
}

// A layout without a shard is reported if shards are set: it ignores them.
Fact nodes_fact(const Survey &survey) {
    if (!survey.has_shardless) return {"every layout in use tells nodes apart", true, nullptr};
    const char *text = psprintf("%s is for one node only", LayoutName(survey.shardless).text);
    if (!has_shards()) return {text, true, nullptr};
    return {
        text, false,
        "It has no shard, so idgen.shards does not keep its IDs apart: if another node makes them too, use a layout with a shard."};
}

Fact copy_fact(const Survey &survey) {
    if (survey.is_resumed) return fact_of_renewal({Renewal::resumed, 0});
    if (has_registry()) return {"the registry gives each shard to one server", true, nullptr};
    if (survey.copied_from == 0) return {"this database is not a copy, or its shards are confirmed", true, nullptr};
    Fact why = fact_of_renewal({Renewal::copied, survey.copied_from});
    return {
        psprintf("%s; the other has the system identifier %lld", why.value, static_cast<long long>(survey.copied_from)),
        false, why.advice};
}

Fact machine_fact(const Survey &survey) {
    const char *name = watched_machine.name;
    if (is_page_lost())
        return {psprintf("\"%s\" became shorter", name), false,
                "Write the file again, in place, and restart the server."};
    if (survey.is_clock_doubtful && is_clock_judged(survey.clock_use))
        return {doubt_of_clock({Renewal::clock_disrupted, 0}, "on").what, false,
                "See that chrony, ntpd or systemd-timesyncd runs."};
    switch (watched_machine.told) {
        case MachineTold::generation:
            return {copies_text(survey), true, nullptr};
        case MachineTold::disruptions:
        case MachineTold::no_page:
            return {psprintf("its host does not tell of copies: %s", unnoticed), true, nullptr};
        case MachineTold::denied:
            return {psprintf("the server may not read \"%s\": %s", name, unnoticed), false, machine_denied_hint};
        case MachineTold::nothing:
            break;
    }
    return {psprintf("%s: %s", name == nullptr ? "idgen.machine_generation is off" : "its kernel has no /dev/vmclock0",
                     unnoticed),
            true, nullptr};
}

Fact layout_fact(const Survey &survey) {
    LayoutName name(survey.ending);
    int64 left_ms = survey.end_ms - survey.now_ms;
    const char *end = instant_text(survey.end_ms);
    if (left_ms <= 0) {
        const char *text = psprintf("%s ended at %s, %s ago", name.text, end, duration_text(-left_ms));
        return {text, false, "next_id() is an error: move to a layout that ends later."};
    }
    const char *text = psprintf("%s ends at %s, in %s", name.text, end, duration_text(left_ms));
    if (left_ms >= shortest_life_ms) return {text, true, nullptr};
    return {text, false, "Plan the move to a layout that ends later: after that time next_id() raises an error."};
}

Fact schemas_fact(const Survey &survey) {
    const OpenSchemas &schemas = survey.schemas;
    if (schemas.open[0] == '\0')
        return {psprintf("no ordinary role may create functions in %s", schemas.closed), true, nullptr};
    return {psprintf("%s: a function next_id(integer) there would be called for next_id(5)", schemas.open), false,
            schemas.revoke};
}

// Rows of tables that are watched; nothing is said where none came.
Fact arrivals_fact(const Survey &survey) {
    auto perhaps = static_cast<unsigned long long>(survey.arrived_perhaps);
    if (survey.arrived_others == 0 && perhaps == 0) return no_fact;
    if (survey.arrived_others == 0)
        return {psprintf("%llu rows with IDs of this node's shards, none above what it made", perhaps), true, nullptr};
    Oid table = table_of(survey.arrived_place);
    char *origin = nullptr;
    replorigin_by_oid(origin_of(survey.arrived_place), true, &origin);
    return {psprintf("another node makes IDs of a shard of this one: %llu rows, the last with %lld in %s, from %s",
                     static_cast<unsigned long long>(survey.arrived_others), static_cast<long long>(survey.arrived_id),
                     identifier_of(get_rel_name(table), table), origin == nullptr ? "an origin that is gone" : origin),
            false, "Give each node shards of its own in idgen.shards; then SELECT idgen.reset_stats()."};
}

Fact slots_fact(const Survey &survey) {
    const char *text = psprintf("%u of %u in this database, %u of %u in all", survey.slots, survey.slots_limit,
                                survey.server_slots, survey.server_slots_limit);
    bool is_ample = survey.slots < survey.slots_limit && survey.server_slots < survey.server_slots_limit;
    if (is_ample && survey.others_used)
        return {
            psprintf("%s; those left are for this node's own shards in presets", text), false,
            "Another shard or layout needs one that is idle: put the shards that this node owns into idgen.shards, or increase idgen.max_slots_per_database, or idgen.max_slots and restart."};
    text = psprintf("%s; IDs are made in %u of at most %u databases", text, survey.server_databases,
                    survey.server_databases_limit);
    if (is_ample && survey.server_databases >= survey.server_databases_limit)
        return {text, false, "No other database can make IDs: increase idgen.max_databases and restart."};
    if (is_ample) return {text, true, nullptr};
    return {
        text, false,
        "The next shard needs one that is idle. Increase idgen.max_slots_per_database, or idgen.max_slots and restart."};
}

Fact horizon_fact(const Survey &survey) {
    if (survey.page == Renewal::locked)
        return {"not known: its sequence is locked", false,
                "Find in pg_locks the session that locks the sequence idgen.horizon, and end it."};
    if (survey.page != Renewal::granted) return fact_of_renewal({survey.page, survey.record.value});
    const char *text = instant_text(survey.horizon_ms);
    if (survey.in_recovery || survey.horizon_ms - survey.now_ms <= horizon_rules().farthest_ms())
        return {text, true, nullptr};
    text = psprintf("%s, %s ahead of the clock", text, duration_text(survey.horizon_ms - survey.now_ms));
    return {text, false, survey.advanced_ms >= survey.horizon_ms ? advanced_hint : far_horizon_hint};
}

Fact renewal_fact(const Survey &survey) {
    const char *last = survey.renewed_ms == 0 ? "none since the server started"
                                              : psprintf("%llu since the server started, last at %s",
                                                         static_cast<unsigned long long>(survey.renewals),
                                                         instant_text(survey.renewed_ms));
    if (survey.stall_ms <= longest_stall_ms) return {last, true, nullptr};
    return {psprintf("asked for in vain for %s; %s", duration_text(survey.stall_ms), last), false,
            "See the rows clock, ntp and standby, and pg_locks for locks on the sequence idgen.horizon."};
}

Fact lead_fact(const Survey &survey) {
    if (survey.lead_ms <= settings.max_lead_ms)
        return {psprintf("%s of at most %s", duration_text(survey.lead_ms), duration_text(settings.max_lead_ms)), true,
                nullptr};
    const char *text = psprintf("%s, more than %s", duration_text(survey.lead_ms), duration_text(settings.max_lead_ms));
    if (explains(-survey.clock_offset_ms, survey.lead_ms - settings.max_lead_ms))
        return {text, false, behind_hint(survey.lead_ms)};
    return {text, false, "IDs of that shard wait until then; a larger idgen.max_lead, as it was, lets them go on."};
}

// Up to where readers by ID may read.
Fact settled_fact(const Survey &survey) {
    if (!survey.has_settled) return {told_by_primary(survey), true, nullptr};
    const Settled &settled = survey.settled;
    if (settled.held_by == HeldBy::none) return {"up to the clock", true, nullptr};
    const char *holder = holder_text(survey);
    if (settled.held_by == HeldBy::unknown)
        return {
            psprintf("not known: %s is older than the start of the server", holder), false,
            "id_settled() stands still until it ends: see pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED."};
    const char *text = psprintf("up to %s, held by %s", instant_text(settled.until_ms), holder);
    if (settled_lag_ms(survey) <= longest_hold_ms) return {text, true, nullptr};
    if (settled.held_by == HeldBy::process)
        return {
            text, false,
            "Who reads by ID waits for it: see pg_stat_activity, and have it end its transaction, or pg_terminate_backend()."};
    return {text, false,
            "Who reads by ID waits for it: see pg_prepared_xacts, then COMMIT PREPARED or ROLLBACK PREPARED."};
}

// A clock that was set back is judged by the lead that it leaves.
Fact clock_fact(const Survey &survey) {
    if (!survey.has_accepted_clock) return {"nothing to compare with before the first ID", true, nullptr};
    int64 offset_ms = survey.clock_offset_ms;
    const char *text = psprintf("%s%s from the one accepted; set forward %llu times, back %llu times",
                                offset_ms < 0 ? "-" : "+", duration_text(offset_ms < 0 ? -offset_ms : offset_ms),
                                static_cast<unsigned long long>(survey.steps_forward),
                                static_cast<unsigned long long>(survey.steps_back));
    if (offset_ms <= settings.max_clock_jump_ms) return {text, true, nullptr};
    Fact jump = fact_of_renewal({Renewal::clock_jumped, offset_ms, settings.max_clock_jump_ms});
    return {psprintf("%s: %s", jump.value, text), false, jump.advice};
}

// Judged only if something rests on it: between two polls of a healthy time service the kernel's bound can exceed
// idgen.clock_error.
Fact ntp_fact(const Survey &survey) {
    const char *use = use_text(survey.clock_use);
    bool is_judged = is_clock_judged(survey.clock_use);
    if (!survey.kernel.is_synchronized) {
        Outcome doubt{tells_of_clock ? Renewal::clock_not_synchronized : Renewal::clock_unknown, 0};
        const char *advice =
            tells_of_clock ? "Start chrony, ntpd or systemd-timesyncd." : "Have the clock watched from outside.";
        return {psprintf("%s; %s", doubt_of_clock(doubt, "on").what, use), !is_judged, is_judged ? advice : nullptr};
    }
    const char *text = psprintf("synchronized, off by at most %s", duration_text(error_ms_of(survey.kernel)));
    if (is_within(survey.kernel, settings.clock_error_ms)) return {psprintf("%s; %s", text, use), true, nullptr};
    return {psprintf("%s, more than idgen.clock_error, %s; %s", text, duration_text(settings.clock_error_ms), use),
            !is_judged, is_judged ? uncertain_hint : nullptr};
}

Fact standby_fact(const Survey &survey) {
    if (survey.lacks_standbys) return fact_of_renewal({Renewal::no_standby, 0});
    if (!survey.has_standby_names) return {"no synchronous standby", true, nullptr};
    const char *text = psprintf("%u synchronous standby%s connected", survey.standbys, survey.standbys == 1 ? "" : "s");
    if (survey.standbys > 0 || survey.in_recovery) return {text, true, nullptr};
    return {text, false, "See pg_stat_replication: no ID is made without their confirmation."};
}

}  // namespace idgen::pg
