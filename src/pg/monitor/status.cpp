#include "pg/monitor/status.hpp"

#include "pg/report/message_text.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shards_remedy.hpp"

namespace idgen::pg {
namespace {

constexpr int64 ms_a_day = 86400000;
constexpr int64 days_a_year = 365;
// A layout that ends sooner should be replaced.
constexpr int64 shortest_life_ms = 2 * days_a_year * ms_a_day;
// A renewal that takes longer is held up by something.
constexpr uint32 longest_stall_ms = 5000;

constexpr const char *not_known = "not known: the library is not loaded";

// Signed, for differences: -1500 -> "-1.500 s"
const char *difference_text(int64 ms) {
    return ms < 0 ? psprintf("-%s", seconds_text(-ms)) : psprintf("+%s", seconds_text(ms));
}

Fact library(const Survey &seen) {
    if (seen.is_preloaded) return {"library", "loaded when the server started", true, nullptr};
    if (seen.is_loaded)
        return {"library",
                "loaded by the first session that needed it; idgen.keys, idgen.max_slots and "
                "idgen.max_slots_per_database need shared_preload_libraries",
                true, nullptr};
    return {"library", "not loaded by the server", false,
            "Add this line to postgresql.conf, joined with what is there, and restart: "
            "shared_preload_libraries = 'idgen'"};
}

Fact server(const Survey &seen) {
    if (!seen.in_recovery) return {"server", "makes IDs", true, nullptr};
    return {"server", "standby: its primary makes the IDs", true, nullptr};
}

const char *advice_for(ShardsRemedy remedy) {
    switch (remedy) {
        case ShardsRemedy::alter_database:
            break;
        case ShardsRemedy::reconnect:
            return "It was set for this database or role after this connection began: reconnect.";
        case ShardsRemedy::reset:
            return "This session has set it to nothing: RESET idgen.shards";
        case ShardsRemedy::alter_system:
            return "Unless every call names its shard, give each node its own: ALTER SYSTEM SET idgen.shards "
                   "= "
                   "'5' and SELECT pg_reload_conf(), on each node. Citus copies ALTER DATABASE ... SET to "
                   "all.";
    }
    return "Unless every call names its shard, give this node its own: ALTER DATABASE ... SET idgen.shards = "
           "'5', then reconnect.";
}

Fact shards() {
    const char *shards = GetConfigOption("idgen.shards", false, false);
    if (shards[0] == '\0') return {"shards", "not set", false, advice_for(remedy_for_no_shards())};
    const char *text = settings.region == 0 ? shards : psprintf("%s in region %d", shards, settings.region);
    if (!are_shards_copied()) return {"shards", text, true, nullptr};
    return {"shards", psprintf("%s, by ALTER DATABASE or ALTER ROLE: the same on every node of Citus", text),
            false,
            "Two nodes with the same shards make the same IDs. ALTER SYSTEM SET idgen.shards and SELECT "
            "pg_reload_conf() on each node, then ALTER DATABASE or ALTER ROLE ... RESET idgen.shards."};
}

// A layout without a shard is told where shards are set: it does not reckon with them.
Fact nodes(const Survey &seen) {
    if (!seen.is_loaded) return {"nodes", not_known, false, nullptr};
    if (!seen.has_shardless) return {"nodes", "every layout in use tells nodes apart", true, nullptr};
    const char *text = psprintf("%s is for one node only", LayoutName(seen.shardless).text);
    if (settings.shards.empty()) return {"nodes", text, true, nullptr};
    return {
        "nodes", text, false,
        "It has no shard, so idgen.shards does not keep its IDs apart: where another node makes them too, "
        "use a layout with a shard."};
}

Fact horizon(const Survey &seen) {
    switch (seen.page) {
        case PageState::readable:
            break;
        case PageState::locked:
            return {"horizon", "not known: its sequence is locked", false,
                    "See pg_locks for who locks the sequence idgen_horizon, and end that."};
        case PageState::missing:
            return {"horizon", "missing", false,
                    "Create the extension anew, then call idgen_advance() above the time of the last ID."};
        case PageState::unlogged:
            return {"horizon", "unlogged", false, "ALTER SEQUENCE idgen_horizon SET LOGGED"};
        case PageState::newer:
            return {"horizon", "written by a later version of idgen", false,
                    "Install the version of idgen that the database was used with, and restart."};
        case PageState::out_of_bounds:
            return {
                "horizon", "out of bounds", false,
                "Something else wrote to the sequence idgen_horizon; have a superuser call idgen_reset()."};
    }
    const char *text = instant_text(seen.horizon_ms);
    if (seen.in_recovery || seen.horizon_ms - seen.now_ms <= horizon_rules().farthest_ms())
        return {"horizon", text, true, nullptr};
    return {"horizon",
            psprintf("%s, %s ahead of the clock", text, seconds_text(seen.horizon_ms - seen.now_ms)), false,
            "Correct the clock if it is behind; if a wrong clock or idgen_advance() raised the horizon, wait "
            "for that time or see idgen_reset()."};
}

Fact copy(const Survey &seen) {
    if (seen.copied_from == 0)
        return {"copy", "this database is no copy, or its shards are confirmed", true, nullptr};
    return {"copy",
            psprintf("of a database of the system %lld, with its shards",
                     static_cast<long long>(seen.copied_from)),
            false,
            "Change idgen.shards here; or, if the other makes no more IDs, have a superuser call "
            "idgen_confirm_shards()."};
}

Fact renewal(const Survey &seen) {
    if (!seen.is_loaded) return {"renewal", not_known, false, nullptr};
    const char *last = seen.renewed_ms == 0 ? "none since the server started"
                                            : psprintf("%llu since the server started, last at %s",
                                                       static_cast<unsigned long long>(seen.renewals),
                                                       instant_text(seen.renewed_ms));
    if (seen.stall_ms <= longest_stall_ms) return {"renewal", last, true, nullptr};
    return {"renewal", psprintf("asked for in vain for %s; %s", seconds_text(seen.stall_ms), last), false,
            "See the rows clock, ntp and standby, and pg_locks for locks on the sequence idgen_horizon."};
}

Fact lead(const Survey &seen) {
    if (!seen.is_loaded) return {"lead", not_known, false, nullptr};
    if (seen.lead_ms <= settings.max_lead_ms)
        return {"lead",
                psprintf("%s of at most %s", seconds_text(seen.lead_ms), seconds_text(settings.max_lead_ms)),
                true, nullptr};
    return {"lead",
            psprintf("%s, more than %s", seconds_text(seen.lead_ms), seconds_text(settings.max_lead_ms)),
            false, "The clock is behind the last IDs: correct it, or wait until it has caught up."};
}

// A clock that was set back is judged by the lead that it leaves.
Fact clock(const Survey &seen) {
    if (!seen.is_loaded) return {"clock", not_known, false, nullptr};
    if (!seen.has_accepted_clock)
        return {"clock", "nothing to compare with before the first ID", true, nullptr};
    const char *text =
        psprintf("%s from the one accepted; set forward %llu times, back %llu times",
                 difference_text(seen.clock_offset_ms), static_cast<unsigned long long>(seen.steps_forward),
                 static_cast<unsigned long long>(seen.steps_back));
    if (seen.clock_offset_ms > settings.max_clock_jump_ms)
        return {
            "clock", text, false,
            "It jumped forward by more than idgen.max_clock_jump: correct it; or, if it is right now, have "
            "a superuser call idgen_accept_clock()."};
    return {"clock", text, true, nullptr};
}

Fact ntp(const Survey &seen) {
    if (seen.kernel.is_synchronised)
        return {"ntp",
                psprintf("synchronised, off by at most %s", seconds_text(seen.kernel.max_error_us / 1000)),
                true, nullptr};
    return {"ntp", "the kernel's clock is not synchronised", false,
            "Start chrony, ntpd or systemd-timesyncd."};
}

Fact standby(const Survey &seen) {
    if (seen.lacks_standbys)
        return {"standby", "required, and none is configured", false,
                "Set synchronous_standby_names, or idgen.synchronous to auto: no ID is made."};
    if (!seen.has_standby_names) return {"standby", "no synchronous standby", true, nullptr};
    const char *text =
        psprintf("%u synchronous standby%s connected", seen.standbys, seen.standbys == 1 ? "" : "s");
    if (seen.standbys > 0 || seen.in_recovery) return {"standby", text, true, nullptr};
    return {"standby", text, false, "See pg_stat_replication: no ID is made without their confirmation."};
}

const char *days_text(int64 ms) {
    int64 days = ms / ms_a_day;
    return psprintf("%lld day%s", static_cast<long long>(days), days == 1 ? "" : "s");
}

Fact layout(const Survey &seen) {
    if (!seen.is_loaded) return {"layout", not_known, false, nullptr};
    LayoutName name(seen.ending);
    int64 left_ms = seen.end_ms - seen.now_ms;
    const char *end = instant_text(seen.end_ms);
    if (left_ms <= 0) {
        const char *text = psprintf("%s ended at %s, %s ago", name.text, end, days_text(-left_ms));
        return {"layout", text, false, "next_id() is an error: move to a layout that ends later."};
    }
    const char *text = psprintf("%s ends at %s, in %s", name.text, end, days_text(left_ms));
    if (left_ms >= shortest_life_ms) return {"layout", text, true, nullptr};
    return {"layout", text, false, "Plan the move to a layout that ends later; then next_id() is an error."};
}

Fact slots(const Survey &seen) {
    if (!seen.is_loaded) return {"slots", not_known, false, nullptr};
    const char *text = psprintf("%u of %u in this database, %u of %u in all", seen.slots, seen.slots_limit,
                                seen.server_slots, seen.server_slots_limit);
    bool is_ample = seen.slots < seen.slots_limit && seen.server_slots < seen.server_slots_limit;
    if (is_ample && seen.others_used)
        return {"slots", psprintf("%s; those left are for this node's own shards in presets", text), false,
                "Another shard or layout needs one that is idle: put the shards that this node owns into "
                "idgen.shards, or raise idgen.max_slots_per_database, or idgen.max_slots and restart."};
    if (is_ample) return {"slots", text, true, nullptr};
    return {
        "slots", text, false,
        "The next shard needs one that is idle. Raise idgen.max_slots_per_database, or idgen.max_slots and "
        "restart."};
}

}  // namespace

void state_facts(const Survey &seen, Fact facts[fact_count]) {
    int i = 0;
    facts[i++] = library(seen);
    facts[i++] = server(seen);
    facts[i++] = shards();
    facts[i++] = nodes(seen);
    facts[i++] = copy(seen);
    facts[i++] = horizon(seen);
    facts[i++] = renewal(seen);
    facts[i++] = lead(seen);
    facts[i++] = clock(seen);
    facts[i++] = ntp(seen);
    facts[i++] = standby(seen);
    facts[i++] = layout(seen);
    facts[i] = slots(seen);
}

}  // namespace idgen::pg
