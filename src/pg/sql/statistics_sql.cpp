// The SQL face of the statistics: one row for each slot, backend and database.

#include "pg/draw/tally.hpp"
#include "pg/host/rows.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/monitor/statistics.hpp"
#include "pg/state/undecided.hpp"

namespace idgen::pg {

namespace {

// Layout and shard. The hybrid logical clock has neither, though it packs like a layout.
void set_owner(Row &row, bool known, SlotOwner &owner) {
    row.set_if(known && !owner.is_clock, "layout", PointerGetDatum(&owner.layout));
    row.set_if(known && owner.layout.node_bits() > 0, "shard", int_datum(owner.shard));
}

void put_slot(ReturnSetInfo *rows, const SlotCopy &copy) {
    SlotOwner owner = owner_of(copy);
    Packing p = packing_of(owner.layout);
    const Slot &slot = copy.slot;
    Row row(rows);
    set_owner(row, true, owner);
    row.set("ids", count_datum(slot.ids));
    row.set("waits", count_datum(copy.waits));
    row.set("wait_time", ms_datum(copy.wait_us));
    row.set("borrows", count_datum(slot.borrows));
    row.set("holds", count_datum(slot.holds));
    row.set("max_lead", Int64GetDatum(copy.max_lead_ms));
    if (slot.sequence != no_sequence) {
        row.set("last_id", Int64GetDatum(pack(p, slot.tick, owner.shard, slot.sequence)));
        row.set("last_time", TimestampTzGetDatum(start_of(p, slot.tick)));
    }
    row.put();
}

void put_backend(ReturnSetInfo *rows, BackendCopy &copy) {
    Row row(rows);
    row.set("pid", int_datum(copy.pid));
    row.set("datid", ObjectIdGetDatum(copy.database));
    row.set("usesysid", ObjectIdGetDatum(copy.user));
    set_owner(row, copy.has_slot, copy.owner);
    row.set("ids", count_datum(copy.ids));
    row.set("waits", count_datum(copy.waits));
    row.set("wait_time", ms_datum(copy.wait_us));
    row.set_if(copy.last_id != 0, "last_id", count_datum(copy.last_id));
    row.set_if(copy.announced_ms != 0, "draws_from", time_datum(copy.announced_ms));
    row.put();
}

void put_prepared(ReturnSetInfo *rows, const PreparedAnnouncement &prepared) {
    Row row(rows);
    row.set("datid", ObjectIdGetDatum(prepared.database));
    if (prepared.start_ms != INT64_MIN) row.set("draws_from", time_datum(prepared.start_ms));
    row.set("prepared", TransactionIdGetDatum(prepared.xid));
    row.put();
}

void put_database(ReturnSetInfo *rows, const Survey &survey) {
    bool is_loaded = survey.is_loaded;
    Row row(rows);
    row.set("in_recovery", BoolGetDatum(survey.in_recovery));
    row.set_if(survey.page == Renewal::granted, "horizon", time_datum(survey.horizon_ms));
    row.set_if(is_loaded, "renewals", count_datum(survey.renewals));
    row.set_if(survey.renewed_ms != 0, "renewed_at", time_datum(survey.renewed_ms));
    row.set_if(is_loaded, "stall", Int64GetDatum(survey.stall_ms));
    row.set_if(is_loaded, "lead", Int64GetDatum(survey.lead_ms));
    bool is_settled = survey.has_settled && survey.settled.held_by != HeldBy::unknown;
    if (is_settled) row.set("settled_lag", Int64GetDatum(settled_lag_ms(survey)));
    row.set_if(survey.has_accepted_clock, "clock_offset", Int64GetDatum(survey.clock_offset_ms));
    row.set_if(is_loaded, "clock_steps_forward", count_datum(survey.steps_forward));
    row.set_if(is_loaded, "clock_steps_back", count_datum(survey.steps_back));
    row.set("clock_synchronized", BoolGetDatum(survey.kernel.is_synchronized));
    row.set("clock_max_error", ms_datum(static_cast<uint64>(survey.kernel.max_error_us)));
    row.set("synchronous", BoolGetDatum(survey.has_standby_names));
    row.set("standbys", int_datum(survey.standbys));
    row.set_if(is_loaded, "slots", int_datum(survey.slots));
    row.set_if(is_loaded, "slots_limit", int_datum(survey.slots_limit));
    row.set_if(is_loaded, "server_slots", int_datum(survey.server_slots));
    row.set_if(is_loaded, "server_slots_limit", int_datum(survey.server_slots_limit));
    row.set_if(is_loaded, "server_databases", int_datum(survey.server_databases));
    row.set_if(is_loaded, "server_databases_limit", int_datum(survey.server_databases_limit));
    Layout ending = survey.ending;
    row.set_if(is_loaded, "layout", PointerGetDatum(&ending));
    row.set_if(is_loaded, "layout_end", time_datum(survey.end_ms));
    row.put();
}

void put_fact(ReturnSetInfo *rows, const char *key, const Fact &fact) {
    if (fact.value == nullptr) return;
    Row row(rows);
    row.set("key", CStringGetTextDatum(key));
    row.set("value", CStringGetTextDatum(fact.value));
    row.set("ok", BoolGetDatum(fact.is_ok));
    if (fact.advice != nullptr) row.set("advice", CStringGetTextDatum(fact.advice));
    row.put();
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_stat_shard);
PG_FUNCTION_INFO_V1(idgen_stat_backend);
PG_FUNCTION_INFO_V1(idgen_stat_database);
PG_FUNCTION_INFO_V1(idgen_status);
PG_FUNCTION_INFO_V1(idgen_reset_stats);

Datum idgen_stat_shard(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SlotCopies slots = copy_slots(shared_state());
    for (uint32 i = 0; i < slots.count; i++)
        if (is_of_database(slots.rows[i], MyDatabaseId)) put_slot(rows, slots.rows[i]);
    return Datum{0};
}

Datum idgen_stat_backend(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SharedState *state = shared_state();
    BackendCopy copy;
    for (uint32 i = 0; i < state->backend_count; i++)
        if (copy_backend(state, i, copy)) put_backend(rows, copy);
    for (uint32 i = 0; i < state->backend_count; i++)
        if (copy_leader(state, i, copy)) put_backend(rows, copy);
    PreparedCopies prepared = copy_prepared(state);
    for (uint32 i = 0; i < prepared.count; i++) put_prepared(rows, prepared.rows[i]);
    return Datum{0};
}

Datum idgen_stat_database(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    put_database(rows, take_survey());
    return Datum{0};
}

Datum idgen_status(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    Survey survey = take_survey();
    for (const FactSource &source : facts)
        if (survey.is_loaded || !source.needs_library) put_fact(rows, source.key, fact_of(source, survey));
    return Datum{0};
}

Datum idgen_reset_stats(PG_FUNCTION_ARGS) {
    reset_tallies(shared_state());
    PG_RETURN_VOID();
}

}  // extern "C"

}  // namespace idgen::pg
