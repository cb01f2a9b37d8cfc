// Facts of idgen.status() about shards from a registry: those that are held, and the registry. And the SQL face of their statistics.

#include "pg/host/rows.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/held/leases.hpp"

namespace idgen::pg {
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
            append_sentence(text, psprintf("IDs of shard %lld begin at %s", static_cast<long long>(number.number),
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
        "it was put back to an older state, is new or damaged, and was not advanced: shard %lld ends at %s there, and was granted up to %s to this server",
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

const char *silence_advice(const LeaseSurvey &leases, int64 now_ms) {
    const char *ids = "No shard is held, so no ID is made.";
    if (leases.held > 0)
        ids = leases.nearest_ms > now_ms ? "IDs can be made up to the horizon in row lease."
                                         : "IDs have ended at the horizon in row lease.";
    return psprintf("Check that it runs, can be reached from here, and admits this server. %s", ids);
}

void put_number(ReturnSetInfo *rows, const WantedNumber &number) {
    Row row(rows);
    row.set("shard", int_datum(number.number));
    row.set("number", int_datum(number.number));  // its name in 0.9.0
    row.set("by_hand", BoolGetDatum(number.is_by_hand));
    row.set("held", BoolGetDatum(number.is_held));
    row.set_if(number.is_held, "horizon", time_datum(number.horizon_ms));
    row.put();
}

void put_registry(ReturnSetInfo *rows, const LeaseSurvey &leases) {
    const RegistryState &registry = leases.registry;
    const CounterState &state = registry.counters;
    Row row(rows);
    row.set("shards", int_datum(leases.held));
    row.set("numbers", int_datum(leases.held));  // its name in 0.9.0
    row.set_if(leases.held > 0, "horizon", time_datum(leases.nearest_ms));
    row.set("lease_window", Int64GetDatum(leases.window_ms));
    row.set_if(registry.keeper_pid != 0, "keeper_pid", Int32GetDatum(registry.keeper_pid));
    row.set_if(registry.answered_ms != 0, "answered_at", time_datum(registry.answered_ms));
    row.set_if(registry.silent_since_ms != 0, "silent_since", time_datum(registry.silent_since_ms));
    const char *sentences = all_troubles(leases);
    row.set_if(sentences[0] != '\0', "trouble", CStringGetTextDatum(sentences));
    row.set("counters", int_datum(state.count));
    row.set("counters_in_trouble", int_datum(state.in_trouble));
    row.set("counter_used", Int32GetDatum(state.most_used_percent));
    row.set_if(state.trouble[0] != '\0', "counter_trouble", CStringGetTextDatum(state.trouble));
    row.put();
}

}  // namespace

const char *chosen_numbers(const LeaseSurvey &leases) {
    StringInfoData text;
    initStringInfo(&text);
    return append_numbers(&text, leases, is_chosen) ? text.data : nullptr;
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
    if (survey.leases == nullptr) return no_fact;
    const LeaseSurvey &leases = *survey.leases;
    if (survey.in_recovery) return {"none: a standby claims no shards", true, nullptr};
    bool is_lacking = leases.held < leases.count || lacks_pool(leases);
    bool is_hampered = has_trouble(leases);
    if (leases.count == 0 && !is_lacking && !is_hampered)
        return {"no shard yet: the first ID asks for one", true, nullptr};
    const char *text = lease_text(leases, survey.now_ms);
    if (is_hampered) return {text, false, trouble_hint};
    if (leases.held > 0 && leases.nearest_ms <= survey.now_ms)
        return {text, false, "IDs have ended at the horizon, until it is extended: see row registry."};
    if (is_lacking) return {text, false, "IDs of a shard wait until the registry grants it: see row registry."};
    // A keeper that is answered extends it when half of the window is left.
    if (leases.nearest_ms - survey.now_ms < leases.window_ms / 4)
        return {text, false, "IDs end at the horizon unless it is extended: see row registry."};
    return {text, true, nullptr};
}

Fact registry_fact(const Survey &survey) {
    if (survey.leases == nullptr) return no_fact;
    const LeaseSurvey &leases = *survey.leases;
    const RegistryState &registry = leases.registry;
    if (survey.in_recovery) return {"not asked: a standby claims no shards", true, nullptr};
    if (leases.keeper != KeeperState::runs)
        return {psprintf("not asked: the %s", words_of(leases.keeper)), false,
                advice_for(leases.keeper, registry.keeper_pid)};
    if (registry.silent_since_ms != 0)
        return {with_older(with_trouble(silence_text(registry), registry), registry), false,
                silence_advice(leases, survey.now_ms)};
    const char *text = registry.answered_ms == 0 ? "not asked yet" : answered_text(registry);
    if (registry.older.granted_ms != 0)
        return {with_older(with_trouble(text, registry), registry), false,
                older_registry_hint(registry.older.granted_ms)};
    if (registry.trouble[0] == '\0') return {text, true, nullptr};
    return {with_trouble(text, registry), false, trouble_hint};
}

Fact counters_fact(const Survey &survey) {
    if (survey.leases == nullptr || survey.in_recovery) return no_fact;
    const CounterState &counters = survey.leases->registry.counters;
    if (counters.count == 0) return no_fact;
    if (counters.trouble[0] == '\0') return {psprintf("%u in use", counters.count), true, nullptr};
    return {psprintf("%u in use; %s", counters.count, counters.trouble), false,
            "SELECT * FROM idgen_lease.stat_counter shows each, with what is wrong."};
}

// The owner of the database in which the server remembers its numbers may rename it, or drop it while the server
// starts.
Fact lease_database_fact(const Survey &survey) {
    if (survey.leases == nullptr) return no_fact;
    const char *name = lease_settings.database;
    Oid database = get_database_oid(name, true);
    if (!OidIsValid(database))
        return {
            psprintf("\"%s\" does not exist", name), false,
            psprintf(
                "CREATE DATABASE %s, and CREATE EXTENSION idgen_lease in it; or set idgen.lease_database to another one, and restart.",
                quote_identifier(name))};
    Oid owner = owner_of_database(database);
    const char *owner_name = GetUserNameFromId(owner, true);
    const char *text = psprintf("\"%s\", owned by \"%s\"", name, owner_name == nullptr ? "?" : owner_name);
    if (superuser_arg(owner)) return {text, true, nullptr};
    return {psprintf("%s, who is no superuser and can take it away from the whole server", text), false,
            psprintf("ALTER DATABASE %s OWNER TO a superuser.", quote_identifier(name))};
}

extern "C" {

PG_FUNCTION_INFO_V1(idgen_stat_lease);
PG_FUNCTION_INFO_V1(idgen_stat_registry);

Datum idgen_stat_lease(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SharedState *state = shared_state();
    if (!has_registry()) return Datum{0};
    const LeaseSurvey &leases = survey_leases(leases_of(state));
    for (uint32 i = 0; i < leases.count; i++) put_number(rows, leases.numbers[i]);
    return Datum{0};
}

Datum idgen_stat_registry(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SharedState *state = shared_state();
    if (has_registry()) put_registry(rows, survey_leases(leases_of(state)));
    return Datum{0};
}

}  // extern "C"
}  // namespace idgen::pg
