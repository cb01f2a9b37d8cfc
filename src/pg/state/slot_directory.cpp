#include "pg/state/slot_directory.hpp"

#include <algorithm>

#include "core/layout/packing.hpp"
#include "core/slot/slot_index.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

// Without preload the server has no setting that says how many slots there are.
const char *advice_of_slots(bool in_database) {
    if (!is_preloaded())
        return "To have more, add idgen to shared_preload_libraries, with a higher idgen.max_slots, and restart.";
    return in_database ? "To have more, increase idgen.max_slots_per_database, or idgen.max_slots and restart."
                       : "To have more, increase idgen.max_slots and restart.";
}

const char *advice_of_others(bool in_database) {
    const char *more = "increase idgen.max_slots and restart";
    if (!is_preloaded())
        more = "add idgen to shared_preload_libraries, with a higher idgen.max_slots, and restart";
    else if (in_database)
        more = "increase idgen.max_slots_per_database, or idgen.max_slots and restart";
    return psprintf("Put the shards that this node owns into idgen.shards and use a preset, or %s.", more);
}

Refusal share_used(int slots) {
    return {ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, psprintf("this database uses all of its %d idgen slots", slots),
            "Each shard of each layout in use takes a slot, and none is idle.", advice_of_slots(true), "slots"};
}

Refusal others_used(int slots, bool in_database) {
    auto limit = static_cast<int>(slots_for_others(static_cast<uint32>(slots)));
    return {
        ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        in_database ? psprintf("this database uses all of its %d idgen slots for other shards and layouts", limit)
                    : psprintf("all %d idgen slots of this server for other shards and layouts are used", limit),
        psprintf(
            "Half of the %d slots is kept for this node's own shards, those of idgen.shards, in the layouts of presets; none of the other half is idle.",
            slots),
        advice_of_others(in_database), "slots"};
}

Refusal all_slots_used(int slots) {
    return {ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, psprintf("all %d idgen slots of this server are used", slots),
            "Each shard of each layout in use takes a slot in each database, and none is idle.", advice_of_slots(false),
            "slots"};
}

[[noreturn]] void report_no_database(uint32 databases, bool is_preloaded) {
    ereport(
        ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("no room is left for the IDs of another database"),
        errdetail("IDs are made in as many databases as there is room for, %u.", databases),
        is_preloaded
            ? errhint("To have more, increase idgen.max_databases and restart.")
            : errhint(
                  "To have more, add idgen to shared_preload_libraries, with a higher idgen.max_databases, and restart."));
}

// Looks under the lock where the number begins: the keeper says so before it looks at the slots that there are.
SharedReference obtain(SharedState *state, SharedDatabase &database, SlotRequest &request, Shortage &shortage) {
    PatientGuard guard(state->lock);
    if (request.key.packing.node_bits != 0) request.claimed_ms = claimed_ms(leases_of(state), request.key.shard);
    return directory_of(state).obtain(database, request, shortage);
}

}  // namespace

Refusal refusal_of_slots(Shortage shortage) {
    switch (shortage) {
        case Shortage::share_others:
            return others_used(slots_per_database(), true);
        case Shortage::share:
            return share_used(slots_per_database());
        case Shortage::server_others:
            return others_used(settings.max_slots, false);
        case Shortage::none:
        case Shortage::server:
            break;
    }
    return all_slots_used(settings.max_slots);
}

SharedReference find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                          int64 now_ms) {
    SlotKey key{key_of(layout), MyDatabaseId, shard};
    SharedReference slot = unlocked_directory_of(state).find(key);
    if (slot.entry != nullptr) return slot;
    // If shards come from elsewhere, only the node's own are drawn from.
    ShardRange asked{shard, shard};
    ShardSet own = settings.shards_from == ShardsFrom::list ? settings.shards : ShardSet{&asked, 1, 1};
    SlotUse use = use_of(own, static_cast<uint32>(settings.region), layout, shard);
    auto share = static_cast<uint32>(slots_per_database());
    SlotRequest request{key, layout, use, share, now_ms, slot_idle_ms};
    for (bool retry = true;; retry = false) {
        Shortage shortage = Shortage::none;
        slot = obtain(state, *database, request, shortage);
        if (slot.entry != nullptr) return slot;
        if (!retry || !free_dropped_databases(state)) raise(refusal_of_slots(shortage));
    }
}

namespace {

// What last wrote this database's row in pg_database: another transaction than before if the database was dropped and
// created again under the same OID.
TransactionId writer_of_row() {
    HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
    if (!HeapTupleIsValid(tuple)) return InvalidTransactionId;
    TransactionId writer = HeapTupleHeaderGetRawXmin(tuple->t_data);
    ReleaseSysCache(tuple);
    return writer;
}

// Whether sessions have the entry of a database.
bool has_sessions_locked(SharedState *state, Oid database) noexcept IDGEN_LOCKS(requires_capability(state->lock)) {
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        if (pg_atomic_read_u32(&backend.pid) == 0) continue;
        pg_read_barrier();
        if (backend.database == database) return true;
    }
    return false;
}

SharedDatabase *enter(SharedState *state, TransactionId writer, SharedBackend &backend) {
    PatientGuard guard(state->lock);
    bool has_sessions = has_sessions_locked(state, MyDatabaseId);
    SharedDatabase *mine = directory_of(state).enter(MyDatabaseId, writer, has_sessions);
    if (mine != nullptr) backend.database = MyDatabaseId;
    return mine;
}

// The databases that have an entry, by palloc; first those that still exist.
struct DatabaseOids {
    Oid *oids;
    uint32 count;
    uint32 existing;
};

DatabaseOids list_databases(SharedState *state) {
    DatabaseOids list{static_cast<Oid *>(palloc(state->max_databases * sizeof(Oid))), 0, 0};
    unlocked_directory_of(state).databases().for_each([&list](const SharedDatabase &database) {
        Oid oid = database.database.load();
        if (oid != InvalidOid) list.oids[list.count++] = oid;
    });
    auto exists = [](Oid oid) { return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(oid)); };
    list.existing = static_cast<uint32>(std::partition(list.oids, list.oids + list.count, exists) - list.oids);
    return list;
}

void drop_databases(SharedState *state, const Oid *oids, uint32 count) {
    PatientGuard guard(state->lock);
    for (uint32 i = 0; i < count; i++) {
        SharedDatabase *database = directory_of(state).find_database(oids[i]);
        // Its OID may have been given again meanwhile.
        if (database == nullptr || has_sessions_locked(state, oids[i])) continue;
        directory_of(state).drop(*database);
    }
}

}  // namespace

bool free_dropped_databases(SharedState *state) {
    DatabaseOids list = list_databases(state);
    uint32 dropped = list.count - list.existing;
    if (dropped > 0) drop_databases(state, list.oids + list.existing, dropped);
    pfree(list.oids);
    return dropped > 0;
}

uint32 count_databases(SharedState *state) {
    DatabaseOids list = list_databases(state);
    pfree(list.oids);
    return list.existing;
}

SharedDatabase *my_database(SharedState *state, SharedBackend &backend) {
    TransactionId writer = writer_of_row();
    for (bool retry = true;; retry = false) {
        SharedDatabase *mine = enter(state, writer, backend);
        if (mine != nullptr) return mine;
        if (!retry || !free_dropped_databases(state)) report_no_database(state->max_databases, is_preloaded());
    }
}

SharedDatabase *find_database(SharedState *state) noexcept {
    return unlocked_directory_of(state).find_database(MyDatabaseId);
}

}  // namespace idgen::pg
