// The SQL face of the statistics of shards from a registry.

#include "pg/host/rows.hpp"
#include "pg/state/shared_state.hpp"
#include "registry/node/held/lease_survey.hpp"

namespace idgen::pg {

namespace {

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
