// Facts of the node's numbers: idgen.shards, who else uses them, and the registry that they come from.

#include "core/durable/durable_record.hpp"
#include "pg/host/citus_node.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/host/stored_settings.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/report/preload.hpp"
#include "pg/report/words.hpp"
#include "pg/state/lease_gate.hpp"
#include "pg/state/own_shards.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

const char *advice_for(ShardsRemedy remedy) {
    switch (remedy) {
        case ShardsRemedy::alter_database:
            break;
        case ShardsRemedy::reconnect:
            return reconnect_hint;
        case ShardsRemedy::reset:
            return reset_shards_hint;
        case ShardsRemedy::citus:
            return "Unless every call names its shard, have each node draw from the group that it has in Citus: ALTER DATABASE ... SET idgen.shards = 'citus' on the coordinator, then reconnect.";
    }
    return "Unless every call names its shard, give this node its own: ALTER DATABASE ... SET idgen.shards = '5', then reconnect.";
}

const char *beside_region(const char *shards) {
    return settings.region == 0 ? shards : psprintf("%s in region %d", shards, settings.region);
}

// Whether the group may be that of the origin whose promoted clone this server is (pg/draw/own_group.hpp).
bool is_doubtful(const Survey &survey) {
    bool is_known = !survey.in_recovery && survey.page == Renewal::granted && !has_registry();
    return is_known && has_clone() && may_be_clone(survey.record, server_identity(), true);
}

// The group of this node, for idgen.shards = 'citus'.
Fact citus_shards(const Survey &survey) {
    CitusNode node = citus_node();
    if (node.state == CitusState::member && is_doubtful(survey)) node.state = CitusState::doubtful;
    switch (node.state) {
        case CitusState::member:
            break;
        case CitusState::absent:
            return {"shards", "citus: this node has no group", false, remedy_for(node.state)};
        case CitusState::unjoined:
            return {"shards", "citus: this node is in no cluster yet", false, remedy_for(node.state)};
        case CitusState::doubtful:
            return {"shards", psprintf("citus: group %u, which may be that of the origin of this clone", node.group),
                    false, remedy_for(node.state)};
    }
    return {"shards", beside_region(psprintf("citus: group %u", node.group)), true, nullptr};
}

// A list with a number that a layout in use does not have, or, if none is in use, the default one.
Fact large_shards(const Survey &survey, const char *shards) {
    const Layout &layout = survey.narrow;
    const char *text = psprintf("%s: too large for layout \"%s\", which has the shards 0 to %u", shards,
                                LayoutName(layout).text, largest_shard(layout, static_cast<uint32>(settings.region)));
    return {"shards", text, false,
            "next_id() fails for that layout: give this node smaller shards, or use a layout that has these."};
}

// If there is a registry, the row `lease` says more.
Fact leased_shards(const Survey &survey) {
    if (!survey.is_loaded) return no_fact;
    if (!survey.leases.has_registry)
        return {"shards", "lease, and idgen.registry is not set", false, registry_hint(no_registry_hint)};
    if (settings.region != 0) return {"shards", beside_region("lease"), false, no_region_hint};
    if (survey.leases.pool_held == 0) return {"shards", "lease: none yet", true, nullptr};
    return {"shards", psprintf("lease: %s", chosen_numbers(survey.leases)), true, nullptr};
}

constexpr const char *setting = "idgen.shards";

bool is_list(const char *value) {
    return source_of_shards(value) == ShardsFrom::list;
}

// Numbers that ALTER DATABASE or ALTER ROLE has set go before what the servers' own files say, on every server that is
// promoted, too.
Fact with_stored(const Survey &survey, const Fact &fact) {
    if (!survey.leases.has_registry || !fact.is_ok) return fact;
    StoredSetting stored = find_stored_setting(setting, is_list);
    if (stored.value == nullptr) return fact;
    const char *reset = reset_statement(stored, setting);
    const char *own = settings.shards_from == ShardsFrom::list ? beside_region(shards_text()) : fact.value;
    return {
        "shards", psprintf("%s; a database or role has %s by hand", own, stored.value), false,
        psprintf(
            "%s, then reconnect: a promoted server has the same setting, and is refused that number until the lease of the server before it ends. Write idgen.shards into postgresql.conf.",
            reset)};
}

// Numbers by hand that the registry must grant.
Fact granted_shards(const Survey &survey, const char *text) {
    if (!survey.leases.has_registry) return {"shards", text, true, nullptr};
    return {
        "shards",
        psprintf(
            "%s, by hand: a promoted server waits for the end of the lease, or for a clean stop of the server before it",
            text),
        true, nullptr};
}

Fact listed_shards(const Survey &survey) {
    const char *set = shards_text();
    if (set[0] == '\0') return {"shards", "not set", false, advice_for(remedy_for_no_shards())};
    const char *text = beside_region(set);
    if (survey.has_narrow) return large_shards(survey, text);
    if (!are_shards_copied()) return granted_shards(survey, text);
    return {
        "shards", psprintf("%s, by ALTER DATABASE or ALTER ROLE: the same on every node of Citus", text), false,
        "Two nodes with the same shards make the same IDs. Set idgen.shards to citus for that database or role instead, then reconnect; or to numbers of each node's own by ALTER SYSTEM."};
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
    return listed_shards(survey);
}

}  // namespace

Fact shards_fact(const Survey &survey) {
    return with_stored(survey, own_shards_fact(survey));
}

// A note: IDs are unique within a database.
Fact databases_fact(const Survey &survey) {
    if (survey.twin_name == nullptr) return no_fact;
    return {"databases",
            psprintf("\"%s\" of this server draws from shard %u of %s as well: IDs are unique within each of the two",
                     survey.twin_name, survey.twin.shard, LayoutName(survey.twin.layout).text),
            true, nullptr};
}

// Facts of numbers from a registry: those that are held, and the registry.

namespace {

Oid owner_of_database(Oid database) {
    HeapTuple row = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
    if (!HeapTupleIsValid(row)) return InvalidOid;
    Oid owner = reinterpret_cast<Form_pg_database>(GETSTRUCT(row))->datdba;
    ReleaseSysCache(row);
    return owner;
}

constexpr const char *trouble_hint = "Mend what it names, at the registry or here; the server's log may say more.";

// Which of the numbers that are wanted a list is of.
using Which = bool (*)(const WantedNumber &number);

bool is_chosen(const WantedNumber &number) noexcept {
    return number.is_held && !number.is_by_hand;
}
bool is_granted(const WantedNumber &number) noexcept {
    return number.is_held && number.is_by_hand;
}
bool is_missing(const WantedNumber &number) noexcept {
    return !number.is_held;
}

// Appends "3, 4"; false if there are no such numbers.
bool append_numbers(StringInfo text, const LeaseSurvey &leases, Which which) {
    bool is_first = true;
    for (uint32 i = 0; i < leases.count; i++) {
        if (!which(leases.numbers[i])) continue;
        appendStringInfo(text, "%s%lld", is_first ? "" : ", ", static_cast<long long>(leases.numbers[i].number));
        is_first = false;
    }
    return !is_first;
}

const char *lead_text(int64 lead_ms) {
    return lead_ms < 0 ? psprintf("%s behind", duration_text(-lead_ms))
                       : psprintf("%s ahead of", duration_text(lead_ms));
}

bool lacks_pool(const LeaseSurvey &leases) noexcept {
    return leases.is_pool_wanted && leases.pool_held == 0;
}

// Appends a sentence unless it is there already: one may be true of several numbers.
void append_sentence(StringInfo text, const char *sentence) {
    if (sentence[0] == '\0' || strstr(text->data, sentence) != nullptr) return;
    appendStringInfo(text, "%s%s", text->len == 0 ? "" : "; ", sentence);
}

// Why numbers cannot be kept now, of each that there is something to say of.
void append_troubles(StringInfo text, const LeaseSurvey &leases) {
    append_sentence(text, leases.pool_trouble);
    for (uint32 i = 0; i < leases.count; i++) append_sentence(text, leases.numbers[i].trouble);
}

// The numbers that are held, and must wait.
void append_beginnings(StringInfo text, const LeaseSurvey &leases, int64 now_ms) {
    for (uint32 i = 0; i < leases.count; i++) {
        const WantedNumber &number = leases.numbers[i];
        if (number.is_held && number.begins_ms > now_ms + settings.max_lead_ms)
            append_sentence(text, psprintf("IDs of number %lld begin at %s", static_cast<long long>(number.number),
                                           instant_text(number.begins_ms)));
    }
}

// The numbers, and how far they reach.
const char *reach_text(const LeaseSurvey &leases, int64 now_ms) {
    StringInfoData text;
    initStringInfo(&text);
    if (append_numbers(&text, leases, is_chosen)) appendStringInfoString(&text, " chosen by the registry; ");
    if (append_numbers(&text, leases, is_granted)) appendStringInfoString(&text, " by hand; ");
    if (append_numbers(&text, leases, is_missing)) appendStringInfoString(&text, " not held; ");
    if (lacks_pool(leases)) appendStringInfoString(&text, "none chosen by the registry yet; ");
    if (leases.held == 0) return pnstrdup(text.data, static_cast<size_t>(text.len) - 2);
    appendStringInfo(&text, "horizon %s the clock", lead_text(leases.nearest_ms - now_ms));
    return text.data;
}

const char *lease_text(const LeaseSurvey &leases, int64 now_ms) {
    StringInfoData text;
    initStringInfo(&text);
    appendStringInfoString(&text, reach_text(leases, now_ms));
    append_beginnings(&text, leases, now_ms);
    append_troubles(&text, leases);
    return text.data;
}

bool has_trouble(const LeaseSurvey &leases) {
    StringInfoData text;
    initStringInfo(&text);
    append_troubles(&text, leases);
    return text.len != 0;
}

// What shows that the registry was not advanced; empty: nothing.
const char *older_text(const OlderRegistry &older) {
    if (older.granted_ms == 0) return "";
    return psprintf(
        "it was put back to an older state, or is new, and was not advanced: number %lld ends at %s there, and was granted up to %s to this server",
        static_cast<long long>(older.number), instant_text(older.known_ms), instant_text(older.granted_ms));
}

// "X; why", or X if nothing is said.
const char *with_trouble(const char *text, const RegistryState &registry) {
    return registry.trouble[0] == '\0' ? text : psprintf("%s; %s", text, registry.trouble);
}

const char *with_older(const char *text, const RegistryState &registry) {
    const char *older = older_text(registry.older);
    return older[0] == '\0' ? text : psprintf("%s; %s", text, older);
}

const char *answered_text(const RegistryState &registry) {
    return psprintf("answered last at %s", instant_text(registry.answered_ms));
}

// A call fails that is not answered, and one that is refused.
const char *silence_text(const RegistryState &registry) {
    const char *since = instant_text(registry.silent_since_ms);
    return registry.answered_ms == 0
               ? psprintf("calls fail since %s, and none has succeeded since the server started", since)
               : psprintf("calls fail since %s, the last one before succeeded at %s", since,
                          instant_text(registry.answered_ms));
}

// Of a registry that nothing asks.
Fact keeper_fact(const LeaseSurvey &leases) {
    switch (leases.keeper) {
        case KeeperState::runs:
            break;
        case KeeperState::locked:
            return {"registry", "not asked: the process that keeps the numbers waits for a lock", false,
                    psprintf("SELECT pg_blocking_pids(%d) says who holds it.", leases.registry.keeper_pid)};
        case KeeperState::starting:
            return {"registry", "not asked: the process that keeps the numbers is still starting", false,
                    "Look again. If it stays so, the log says more; or its database, idgen.lease_database, is locked."};
        case KeeperState::failing:
            return {"registry", "not asked: the process that keeps the numbers ends as it starts", false,
                    "The server's log says why. Its database, idgen.lease_database, must be there."};
        case KeeperState::none:
            return {"registry", "not asked: the process that keeps the numbers does not run", false, keeper_hint()};
    }
    return no_fact;
}

}  // namespace

const char *chosen_numbers(const LeaseSurvey &leases) {
    StringInfoData text;
    initStringInfo(&text);
    append_numbers(&text, leases, is_chosen);
    return text.data;
}

const char *all_troubles(const LeaseSurvey &leases) {
    StringInfoData text;
    initStringInfo(&text);
    append_sentence(&text, leases.registry.trouble);
    append_sentence(&text, older_text(leases.registry.older));
    append_troubles(&text, leases);
    return text.data;
}

Fact lease_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    if (!leases.has_registry) return no_fact;
    if (survey.in_recovery) return {"lease", "none: a standby claims no numbers", true, nullptr};
    bool is_lacking = leases.held < leases.count || lacks_pool(leases);
    bool is_hampered = has_trouble(leases);
    if (leases.count == 0 && !is_lacking && !is_hampered)
        return {"lease", "no number yet: the first ID asks for one", true, nullptr};
    const char *text = lease_text(leases, survey.now_ms);
    if (is_hampered) return {"lease", text, false, trouble_hint};
    if (is_lacking)
        return {"lease", text, false, "IDs of a number wait until the registry grants it: see row registry."};
    // A keeper that is answered extends it when half of the window is left.
    if (leases.nearest_ms - survey.now_ms < leases.window_ms / 4)
        return {"lease", text, false, "IDs end at the horizon unless it is extended: see row registry."};
    return {"lease", text, true, nullptr};
}

Fact registry_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    const RegistryState &registry = leases.registry;
    if (!leases.has_registry) return no_fact;
    if (survey.in_recovery) return {"registry", "not asked: a standby claims no numbers", true, nullptr};
    if (leases.keeper != KeeperState::runs) return keeper_fact(leases);
    if (registry.silent_since_ms != 0)
        return {
            "registry", with_older(with_trouble(silence_text(registry), registry), registry), false,
            "Check that it runs, can be reached from here, and admits this server. IDs can be made up to the horizon in row lease."};
    const char *text = registry.answered_ms == 0 ? "not asked yet" : answered_text(registry);
    if (registry.older.granted_ms != 0)
        return {"registry", with_older(with_trouble(text, registry), registry), false,
                older_registry_hint(registry.older.granted_ms)};
    if (registry.trouble[0] == '\0') return {"registry", text, true, nullptr};
    return {"registry", with_trouble(text, registry), false, trouble_hint};
}

Fact counters_fact(const Survey &survey) {
    const CounterState &counters = survey.leases.registry.counters;
    if (!survey.leases.has_registry || survey.in_recovery || counters.count == 0) return no_fact;
    if (counters.trouble[0] == '\0') return {"counters", psprintf("%u in use", counters.count), true, nullptr};
    return {"counters", psprintf("%u in use; %s", counters.count, counters.trouble), false,
            "SELECT * FROM idgen_lease.stat_counter shows each, with what is wrong."};
}

// The owner of the database in which the server remembers its numbers may rename it, or drop it while the server
// starts.
Fact lease_database_fact(const Survey &survey) {
    if (!survey.leases.has_registry) return no_fact;
    const char *name = lease_settings.database;
    Oid database = get_database_oid(name, true);
    if (!OidIsValid(database))
        return {
            "lease_database", psprintf("\"%s\" does not exist", name), false,
            psprintf(
                "CREATE DATABASE %s, and CREATE EXTENSION idgen_lease in it; or set idgen.lease_database to another one, and restart.",
                quote_identifier(name))};
    Oid owner = owner_of_database(database);
    const char *owner_name = GetUserNameFromId(owner, true);
    const char *text = psprintf("\"%s\", owned by \"%s\"", name, owner_name == nullptr ? "?" : owner_name);
    if (superuser_arg(owner)) return {"lease_database", text, true, nullptr};
    return {"lease_database", psprintf("%s, who is no superuser and can take it away from the whole server", text),
            false, psprintf("ALTER DATABASE %s OWNER TO a superuser.", quote_identifier(name))};
}

}  // namespace idgen::pg
