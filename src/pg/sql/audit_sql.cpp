// The SQL face of an audit: an aggregate that reads the numbers of a column once, in the order in which they are stored,
// and sorts a copy of them within maintenance_work_mem. idgen.audit puts its facts into words.

#include "core/layout/column_audit.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/own_ids.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

// Lives in the aggregate's memory.
struct AuditState {
    ColumnAudit audit;
    Tuplesortstate *sort;  // null once it has ended
    MemoryContext memory;
    int64 rows;
    int64 nulls;
    Oid part;  // of the last row
    OwnIds own;
    AuditCount others;  // that another node made, of shards of this one
};

void end_sort(Datum state) {
    auto *audit = reinterpret_cast<AuditState *>(DatumGetPointer(state));
    if (audit->sort != nullptr) tuplesort_end(audit->sort);
    audit->sort = nullptr;
}

// The state before the first row. The server ends the sort if the aggregate comes to no end.
AuditState *begin_audit(FunctionCallInfo fcinfo, MemoryContext memory) {
    if (PG_ARGISNULL(3)) report_null("near", false);
    if (PG_ARGISNULL(4)) report_null("layout", true);
    int64 near_us = finite_us(PG_GETARG_TIMESTAMPTZ(3), finite_hint);
    ColumnAudit audit(packing_of(layout_argument(fcinfo, 4)), near_us, near_us + int64{settings.max_lead_ms} * 1000);
    MemoryContext caller = MemoryContextSwitchTo(memory);
    auto *state = static_cast<AuditState *>(palloc(sizeof(AuditState)));
    Tuplesortstate *sort = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, maintenance_work_mem,
                                                 nullptr, TUPLESORT_NONE);
    *state = AuditState{audit, sort, memory, 0, 0, InvalidOid, OwnIds(layout_argument(fcinfo, 4)), {0, 0}};
    AggRegisterCallback(fcinfo, end_sort, PointerGetDatum(state));
    MemoryContextSwitchTo(caller);
    return state;
}

void make_room(AuditState &state) {
    AuditedShards &shards = state.audit.shards();
    size_t size = shards.next_capacity() * sizeof(AuditedShard);
    auto *left = shards.move_to(static_cast<AuditedShard *>(MemoryContextAllocHuge(state.memory, size)));
    if (left != nullptr) pfree(left);
}

void read_sorted(AuditState &state) {
    Datum id;
    bool is_null;
    tuplesort_performsort(state.sort);
    while (next_sorted(state.sort, &id, &is_null)) {
        CHECK_FOR_INTERRUPTS();
        if (state.audit.needs_room()) make_room(state);
        state.audit.add_sorted(DatumGetInt64(id));
        uint32 shard;
        if (state.own.maker_of(DatumGetInt64(id), shard) == Maker::another) state.others.add(DatumGetInt64(id));
    }
    end_sort(PointerGetDatum(&state));
}

// The facts as json: names and numbers, those left out that are not known.
class FactsText {
   public:
    FactsText() { initStringInfo(&text_); }
    void add(const char *name, int64 value) {
        appendStringInfo(&text_, "%s\"%s\":%lld", text_.len == 0 ? "{" : ",", name, static_cast<long long>(value));
    }
    void add_count(const char *name, const char *id_name, const AuditCount &count) {
        add(name, count.count);
        if (count.count > 0) add(id_name, count.first_id);
    }
    void add_largest(const AuditedShards &shards) {
        AuditedShard largest[5];
        int count = shards.largest(largest, 5);
        appendStringInfoString(&text_, ",\"largest\":[");
        for (int i = 0; i < count; i++)
            appendStringInfo(&text_, "%s[%u,%lld]", i == 0 ? "" : ",", largest[i].shard,
                             static_cast<long long>(largest[i].ids));
        appendStringInfoChar(&text_, ']');
    }
    Datum datum() {
        appendStringInfoChar(&text_, '}');
        return text_datum(text_.data, static_cast<size_t>(text_.len));
    }

   private:
    StringInfoData text_;
};

Datum facts_of(const AuditState &state) {
    const ColumnAudit &audit = state.audit;
    FactsText facts;
    facts.add("rows", state.rows);
    facts.add("nulls", state.nulls);
    facts.add_count("repeated", "repeated_id", audit.repeated);
    facts.add("copies", audit.copies);
    facts.add_count("strangers", "stranger_id", audit.strangers);
    facts.add_count("early", "early_id", audit.early);
    facts.add_count("future", "future_id", audit.future);
    facts.add_count("others", "others_id", state.others);
    facts.add("ids", audit.fitting.count);
    facts.add("back", audit.steps_back);
    if (audit.steps_back > 0) {
        facts.add("back_from", audit.furthest_from);
        facts.add("back_to", audit.furthest_to);
    }
    if (state.rows > state.nulls) facts.add("last_id", audit.last_id());
    if (audit.fitting.count > 0) {
        facts.add("earliest_id", audit.earliest_id);
        facts.add("latest_id", audit.latest_id);
        facts.add("busiest_id", audit.busiest_id);
        facts.add("busiest_ids", audit.busiest_ids);
    }
    facts.add("shards", static_cast<int64>(audit.shards().count()));
    facts.add_largest(audit.shards());
    return facts.datum();
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_audit_row);
PG_FUNCTION_INFO_V1(idgen_audit_end);

// Null outside of an aggregate, where it has no state.
Datum idgen_audit_row(PG_FUNCTION_ARGS) {
    MemoryContext memory;
    if (AggCheckCallContext(fcinfo, &memory) == 0) PG_RETURN_NULL();
    auto *state = PG_ARGISNULL(0) ? begin_audit(fcinfo, memory) : reinterpret_cast<AuditState *>(PG_GETARG_POINTER(0));
    bool has_place = !PG_ARGISNULL(2);
    if (has_place && state->part != PG_GETARG_OID(2)) {
        state->part = PG_GETARG_OID(2);
        state->audit.begin_part();
    }
    state->rows++;
    if (PG_ARGISNULL(1)) {
        state->nulls++;
        PG_RETURN_POINTER(state);
    }
    if (state->audit.needs_room()) make_room(*state);
    if (has_place) state->audit.add_stored(PG_GETARG_INT64(1));
    tuplesort_putdatum(state->sort, PG_GETARG_DATUM(1), false);
    PG_RETURN_POINTER(state);
}

// Null if there was no row.
Datum idgen_audit_end(PG_FUNCTION_ARGS) {
    if (AggCheckCallContext(fcinfo, nullptr) == 0 || PG_ARGISNULL(0)) PG_RETURN_NULL();
    auto *state = reinterpret_cast<AuditState *>(PG_GETARG_POINTER(0));
    read_sorted(*state);
    return facts_of(*state);
}

}  // extern "C"

}  // namespace idgen::pg
