// Facts of the node's numbers: idgen.shards, and who else uses them.

#include "pg/host/stored_settings.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

const char *beside_region(const char *shards) {
    return settings.region == 0 ? shards : psprintf("%s in region %d", shards, settings.region);
}

// The group of this node, for idgen.shards = 'citus'.
Fact citus_shards(const Survey &survey) {
    CitusNode node = surveyed_node(survey);
    if (node.state == CitusState::member)
        return {beside_region(psprintf("citus: group %u", node.group)), true, nullptr};
    Refusal why = refusal_of_group(node.state);
    return {psprintf("citus: %s", why.what), false, why.advice};
}

// A list with a number that a layout in use does not have, or, if none is in use, the default one.
Fact large_shards(const Survey &survey, const char *shards) {
    const Layout &layout = survey.narrow;
    const char *text = psprintf("%s: too large for layout \"%s\", which has the shards 0 to %u", shards,
                                LayoutName(layout).text, largest_shard(layout, static_cast<uint32>(settings.region)));
    return {text, false,
            "next_id() fails for that layout: give this node smaller shards, or use a layout that has these."};
}

// If there is a registry, the row `lease` says more.
Fact leased_shards(const Survey &survey) {
    if (!survey.is_loaded) return no_fact;
    if (survey.leases == nullptr)
        return {"lease, and idgen.registry is not set", false, registry_hint(no_registry_hint)};
    const char *chosen = chosen_numbers(*survey.leases);
    return {psprintf("lease: %s", chosen == nullptr ? "none yet" : chosen), true, nullptr};
}

constexpr const char *setting = "idgen.shards";

bool is_list(const StoredSetting &stored) {
    return stored.value[0] != '\0' && source_of_shards(stored.value) == ShardsFrom::list;
}

bool is_of_other_role(const StoredSetting &stored) {
    bool is_here = stored.database == MyDatabaseId || stored.database == InvalidOid;
    bool is_other = OidIsValid(stored.role) && !is_for_this_session(stored);
    return is_here && is_other && strcmp(stored.value, shards_text()) != 0;
}

// Numbers set by ALTER DATABASE or ALTER ROLE go before the servers' own files, on each that is promoted, too.
Fact with_stored(const Survey &survey, const Fact &fact) {
    if (survey.leases == nullptr || !fact.is_ok) return fact;
    StoredSetting stored = find_stored_setting(setting, is_list);
    if (stored.value == nullptr) return fact;
    const char *statement = statement_of(stored);
    const char *own = settings.shards_from == ShardsFrom::list ? beside_region(shards_text()) : fact.value;
    return {
        psprintf("%s; %s has %s by hand", own, statement, stored.value), false,
        psprintf(
            "%s RESET idgen.shards, then reconnect: a promoted server has the same setting, and is refused that shard until the lease of the server before it ends. Write idgen.shards into postgresql.conf.",
            statement)};
}

// The value of the server's files that goes unused, because a database or role has another one; empty: there is none.
const char *hidden_text() {
    if (settings.shards_source < PGC_S_GLOBAL || settings.shards_source > PGC_S_DATABASE_USER) return "";
    StoredSetting in_files = find_setting_in_files(setting);
    if (in_files.value == nullptr || strcmp(in_files.value, shards_text()) == 0) return "";
    return psprintf(", which hides \"%s\" of the server's configuration", clip_text(in_files.value));
}

// Other shards that a role has: tools that copy statements copy ALTER ROLE to other nodes. With a registry, see
// with_stored().
const char *other_role_text() {
    StoredSetting stored = find_stored_setting(setting, is_of_other_role);
    if (has_registry() || stored.value == nullptr) return "";
    return psprintf("; %s has \"%s\"", statement_of(stored), clip_text(stored.value));
}

// Where they come from.
Fact with_origin(const Fact &fact) {
    if (fact.value == nullptr) return fact;
    const char *origin = origin_of(settings.shards_source);
    const char *value = psprintf("%s; set by %s%s%s", fact.value, origin, hidden_text(), other_role_text());
    return {value, fact.is_ok, fact.advice};
}

Fact own_shards_fact(const Survey &survey) {
    switch (settings.shards_from) {
        case ShardsFrom::list:
            break;
        case ShardsFrom::lease:
            return leased_shards(survey);
        case ShardsFrom::citus:
            return citus_shards(survey);
    }
    const char *text = beside_region(shards_text());
    if (survey.has_narrow) return large_shards(survey, text);
    if (are_shards_copied())
        return {
            psprintf("%s: the same on every node of Citus", text), false,
            "Two nodes with the same shards make the same IDs. Set idgen.shards to citus for that database or role instead, then reconnect; or to shards of each node's own by ALTER SYSTEM."};
    if (survey.leases == nullptr) return {text, true, nullptr};
    // The registry must grant those.
    return {
        psprintf(
            "%s, by hand: a promoted server waits for the end of the lease, or for a clean stop of the server before it",
            text),
        true, nullptr};
}

struct Ignored {
    StringInfo text = makeStringInfo();
    const char *advice = nullptr;
};

void append_ignored(void *argument, const StoredSetting &stored) {
    RefusedValue refusal = why_refused(stored);
    bool is_told = !has_shards() && pg_strcasecmp(stored.name, setting) == 0;
    if (refusal.message == nullptr || is_told) return;
    auto *ignored = static_cast<Ignored *>(argument);
    bool is_in_files = stored.source == PGC_S_FILE;
    const char *origin = is_in_files ? origin_of(stored.source) : statement_of(stored);
    appendStringInfo(ignored->text, "%s%s of %s: %s", ignored->text->len == 0 ? "" : "; ", stored.name, origin,
                     refusal.message);
    if (ignored->advice != nullptr) return;
    bool is_known = GetConfigOption(stored.name, true, false) != nullptr;
    if (!is_in_files)
        ignored->advice =
            psprintf("%s RESET %s%s.", statement_of(stored), stored.name, is_known ? ", or set a valid value" : "");
    else
        ignored->advice =
            is_known || is_preloaded()
                ? "Correct it in the file that pg_file_settings shows, then SELECT pg_reload_conf()."
                : "Add idgen to shared_preload_libraries and restart; or correct the name in the file that pg_file_settings shows.";
}

}  // namespace

Fact shards_fact(const Survey &survey) {
    if (has_shards()) return with_origin(with_stored(survey, own_shards_fact(survey)));
    Refusal none = refusal_of_none();
    return {psprintf("%s. %s", none.what, none.detail), false, none.advice};
}

// The settings of idgen that are stored and ignored.
Fact settings_fact(const Survey &) {
    Ignored ignored;
    for_each_stored_setting(append_ignored, &ignored);
    if (ignored.advice == nullptr) return no_fact;
    return {ignored.text->data, false, ignored.advice};
}

// A note: IDs are unique within a database.
Fact databases_fact(const Survey &survey) {
    if (survey.twin_name == nullptr) return no_fact;
    return {psprintf("\"%s\" of this server draws from shard %u of %s as well: IDs are unique within each of the two",
                     survey.twin_name, survey.twin.shard, LayoutName(survey.twin.layout).text),
            true, nullptr};
}

}  // namespace idgen::pg
