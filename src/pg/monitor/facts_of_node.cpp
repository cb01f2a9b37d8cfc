// Facts of the node: library, server, copies, layouts, slots.
#include "pg/monitor/facts.hpp"

#include "pg/host/release.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
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

const char *days_text(int64 ms) {
    int64 days = ms / ms_a_day;
    return psprintf("%lld day%s", static_cast<long long>(days), days == 1 ? "" : "s");
}

}  // namespace

Fact library_fact(const Survey &survey) {
    if (survey.is_loaded && survey.extension != nullptr && strcmp(survey.extension, library_version()) != 0)
        return other_version(survey.extension);
    const char *when = survey.is_preloaded ? "when the server started"
                                           : "by the first session that needed it; idgen.keys, idgen.max_slots and "
                                             "idgen.max_slots_per_database need shared_preload_libraries";
    if (survey.is_loaded) return {"library", psprintf("%s, loaded %s", library_version(), when), true, nullptr};
    return {"library", "not loaded by the server", false, preload_hint};
}

Fact server_fact(const Survey &survey) {
    if (!survey.in_recovery) return {"server", "makes IDs", true, nullptr};
    return {"server", "standby: its primary makes the IDs", true, nullptr};
}

// A layout without a shard is told where shards are set: it does not reckon with them.
Fact nodes_fact(const Survey &survey) {
    if (!survey.is_loaded) return {"nodes", not_known, false, nullptr};
    if (!survey.has_shardless) return {"nodes", "every layout in use tells nodes apart", true, nullptr};
    const char *text = psprintf("%s is for one node only", LayoutName(survey.shardless).text);
    if (!has_shards()) return {"nodes", text, true, nullptr};
    return {"nodes", text, false,
            "It has no shard, so idgen.shards does not keep its IDs apart: where another node makes them too, "
            "use a layout with a shard."};
}

Fact copy_fact(const Survey &survey) {
    if (survey.copied_from == 0)
        return {"copy", "this database is no copy, or its shards are confirmed", true, nullptr};
    return {"copy",
            psprintf("of a database of the system %lld, with its shards", static_cast<long long>(survey.copied_from)),
            false, confirm_shards_hint};
}

Fact layout_fact(const Survey &survey) {
    if (!survey.is_loaded) return {"layout", not_known, false, nullptr};
    LayoutName name(survey.ending);
    int64 left_ms = survey.end_ms - survey.now_ms;
    const char *end = instant_text(survey.end_ms);
    if (left_ms <= 0) {
        const char *text = psprintf("%s ended at %s, %s ago", name.text, end, days_text(-left_ms));
        return {"layout", text, false, "next_id() is an error: move to a layout that ends later."};
    }
    const char *text = psprintf("%s ends at %s, in %s", name.text, end, days_text(left_ms));
    if (left_ms >= shortest_life_ms) return {"layout", text, true, nullptr};
    return {"layout", text, false, "Plan the move to a layout that ends later; then next_id() is an error."};
}

Fact slots_fact(const Survey &survey) {
    if (!survey.is_loaded) return {"slots", not_known, false, nullptr};
    const char *text = psprintf("%u of %u in this database, %u of %u in all", survey.slots, survey.slots_limit,
                                survey.server_slots, survey.server_slots_limit);
    bool is_ample = survey.slots < survey.slots_limit && survey.server_slots < survey.server_slots_limit;
    if (is_ample && survey.others_used)
        return {"slots", psprintf("%s; those left are for this node's own shards in presets", text), false,
                "Another shard or layout needs one that is idle: put the shards that this node owns into "
                "idgen.shards, or raise idgen.max_slots_per_database, or idgen.max_slots and restart."};
    if (is_ample) return {"slots", text, true, nullptr};
    return {"slots", text, false,
            "The next shard needs one that is idle. Raise idgen.max_slots_per_database, or idgen.max_slots and "
            "restart."};
}

}  // namespace idgen::pg
