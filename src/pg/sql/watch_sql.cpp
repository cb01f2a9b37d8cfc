// The trigger of a table that is watched: it counts rows that arrive from other nodes with IDs of shards of this one, and
// refuses none.

#include "pg/host/catalog.hpp"
#include "pg/state/arrivals.hpp"
#include "pg/state/own_ids.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

namespace {

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

[[noreturn]] void report_wrong_trigger() {
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("idgen.watch_shard() is for triggers AFTER INSERT FOR EACH ROW"),
            errdetail("It is called for each row that arrives, with the names of a column and a layout."),
            errhint("Have idgen.watch() put it on a table."));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_watch_shard);

// Arguments of the trigger: the column, the layout.
Datum idgen_watch_shard(PG_FUNCTION_ARGS) {
    auto *trigger = reinterpret_cast<TriggerData *>(fcinfo->context);
    bool is_right = CALLED_AS_TRIGGER(fcinfo) && TRIGGER_FIRED_AFTER(trigger->tg_event) &&
                    TRIGGER_FIRED_FOR_ROW(trigger->tg_event) && TRIGGER_FIRED_BY_INSERT(trigger->tg_event);
    if (!is_right || trigger->tg_trigger->tgnargs != 2) report_wrong_trigger();
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
