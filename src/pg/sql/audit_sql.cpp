// The SQL face of an audit: an aggregate that reads the numbers of a column once, in the order in which they are stored,
// and sorts a copy of them within maintenance_work_mem. idgen.audit puts its facts into words. And the trigger of a
// table that is watched: it counts rows that arrive from other nodes with IDs of shards of this one, and refuses none.

#include "core/layout/column_audit.hpp"
#include "pg/host/rows.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_directory.hpp"

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
    if (PG_ARGISNULL(3)) report_null("near", nullptr);
    if (PG_ARGISNULL(4)) report_null("layout", null_id);
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

// Whether rows are those of a table's first copy, which can be older than they look. The worker of a subscription that
// copies a table has an origin of its own: pg_SUBSCRIPTION_TABLE. pglogical, and those that come from it, copy by a session of
// a client that is named SUBSCRIPTION_copy.
bool is_copy_session() {
    constexpr const char *suffix = "_copy";
    size_t length = strlen(application_name);
    return MyBackendType == B_BACKEND && length > strlen(suffix) &&
           strcmp(application_name + length - strlen(suffix), suffix) == 0;
}

bool is_copy_origin(uint16 origin) {
    static uint16 known = 0;
    static bool is_known_copy = false;
    if (origin == known) return is_known_copy;
    char *name = nullptr;
    unsigned subscription, table;
    int end = 0;
    bool is_named = replorigin_by_oid(origin, true, &name);
    is_known_copy = is_named && sscanf(name, "pg_%u_%u%n", &subscription, &table, &end) == 2 && name[end] == '\0';
    known = origin;
    return is_known_copy;
}

// The ID in a column of a row; 0: none is there.
int64 id_of_row(const TriggerData &trigger, const char *column) {
    TupleDesc desc = RelationGetDescr(trigger.tg_relation);
    int number = SPI_fnumber(desc, column);
    if (number <= 0) return 0;
    Form_pg_attribute attribute = TupleDescAttr(desc, number - 1);
    if (attribute->attlen != sizeof(int64) || !attribute->attbyval) return 0;
    bool is_null;
    Datum id = column_of(trigger.tg_trigtuple, desc, number, &is_null);
    return is_null ? 0 : DatumGetInt64(id);
}

// A load in the role of a replica has no origin, and may bring what was exported here.
void count(SharedDatabase &database, Maker maker, int64 id, Oid table) {
    Arrivals &arrivals = database.arrivals;
    uint16 origin = session_origin();
    if (maker != Maker::another || origin == 0) {
        pg_atomic_fetch_add_u64(&arrivals.perhaps, 1);
        return;
    }
    pg_atomic_write_u64(&arrivals.last_id, static_cast<uint64>(id));
    pg_atomic_write_u64(&arrivals.last_place, place_of(table, origin));
    pg_atomic_fetch_add_u64(&arrivals.others, 1);
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

PG_FUNCTION_INFO_V1(idgen_watch_shard);

// Arguments of the trigger: the column, the layout.
Datum idgen_watch_shard(PG_FUNCTION_ARGS) {
    auto *trigger = reinterpret_cast<TriggerData *>(fcinfo->context);
    bool is_right = CALLED_AS_TRIGGER(fcinfo) && TRIGGER_FIRED_AFTER(trigger->tg_event) &&
                    TRIGGER_FIRED_FOR_ROW(trigger->tg_event) && TRIGGER_FIRED_BY_INSERT(trigger->tg_event);
    if (!is_right || trigger->tg_trigger->tgnargs != 2)
        ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                errmsg("idgen.watch_shard() is for triggers AFTER INSERT FOR EACH ROW"),
                errdetail("It is called for each row that arrives, with the names of a column and a layout."),
                errhint("Have idgen.watch() put it on a table."));
    char **arguments = trigger->tg_trigger->tgargs;
    Layout layout;
    int64 id = id_of_row(*trigger, arguments[0]);
    bool is_copy = session_origin() != 0 && (is_copy_origin(session_origin()) || is_copy_session());
    if (id <= 0 || is_copy || parse_layout(arguments[1], layout).reason != LayoutReason::none) return Datum{0};
    uint32 shard;
    Maker maker = OwnIds(layout).maker_of(id, shard);
    if (maker == Maker::elsewhere) return Datum{0};
    if (SharedDatabase *database = find_database(attached_state()); database != nullptr)
        count(*database, maker, id, RelationGetRelid(trigger->tg_relation));
    return Datum{0};
}

}  // extern "C"
}  // namespace idgen::pg
