#include "pg/state/slot_directory.hpp"

#include <algorithm>

#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// How to have more slots, behind other words. Without preload the server has no setting that says how many there are.
const char *advice_of_slots(const char *words, bool in_database) {
    const char *more = "increase idgen.max_slots and restart";
    if (!is_preloaded())
        more = "add idgen to shared_preload_libraries, with a higher idgen.max_slots, and restart";
    else if (in_database)
        more = "increase idgen.max_slots_per_database, or idgen.max_slots and restart";
    return psprintf("%s %s.", words, more);
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
        advice_of_slots("Put the shards that this node owns into idgen.shards and use a preset, or", in_database),
        "slots"};
}

[[noreturn]] void report_no_database(uint32 databases) {
    ereport(
        ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("no room is left for the IDs of another database"),
        errdetail("IDs are made in as many databases as there is room for, %u.", databases),
        is_preloaded()
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

// Where a slot stands. False if it is another shard's by now.
bool read_slot(const SharedReference &reference, Position &last) noexcept {
    if (reference.entry == nullptr) return false;
    Guard<SpinLock> guard(reference.entry->mutex);
    last = {reference.entry->slot.tick, reference.entry->slot.sequence};
    return is_current(reference);
}

// Where the slot of a key stands; before_all: it has none, and all that it made lies below the floor. That is true after
// the lock: under it, the session that takes a slot back lifts the floor.
Position position_of_slot(SharedState *state, const SlotKey &key) {
    Position last;
    if (read_slot(unlocked_directory_of(state).find(key), last)) return last;
    PatientGuard guard(state->lock);
    return read_slot(directory_of(state).find_surely(key), last) ? last : before_all;
}

// Whether an ID lies above a position. no_sequence: nothing is left in that tick.
bool is_above(const Parts &id, const Position &last) noexcept {
    if (id.tick != last.tick) return id.tick > last.tick;
    return last.sequence != no_sequence && id.sequence > last.sequence;
}

// Frees what belongs to databases that no longer exist. True if there was any.
bool free_dropped_databases(SharedState *state) {
    DatabaseOids list = list_databases(state);
    uint32 dropped = list.count - list.existing;
    if (dropped > 0) drop_databases(state, list.oids + list.existing, dropped);
    pfree(list.oids);
    return dropped > 0;
}

}  // namespace

Refusal refusal_of_slots(Shortage shortage) {
    switch (shortage) {
        case Shortage::share_others:
            return others_used(slots_per_database(), true);
        case Shortage::share:
            return {ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
                    psprintf("this database uses all of its %d idgen slots", slots_per_database()),
                    "Each shard of each layout in use takes a slot, and none is idle.",
                    advice_of_slots("To have more,", true), "slots"};
        case Shortage::server_others:
            return others_used(settings.max_slots, false);
        case Shortage::none:
        case Shortage::server:
            break;
    }
    return {ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
            psprintf("all %d idgen slots of this server are used", settings.max_slots),
            "Each shard of each layout in use takes a slot in each database, and none is idle.",
            advice_of_slots("To have more,", false), "slots"};
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
        if (!retry || !free_dropped_databases(state)) refuse(refusal_of_slots(shortage));
    }
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
        if (!retry || !free_dropped_databases(state)) report_no_database(state->max_databases);
    }
}

SharedDatabase *find_database(SharedState *state) noexcept {
    return unlocked_directory_of(state).find_database(MyDatabaseId);
}

bool OwnIds::is_own(SharedState *state, uint32 shard) const noexcept {
    if (has_registry()) {
        const HeldNumber *held = find_lease(leases_of(state), shard);
        return held != nullptr && cap_of(*held, shard) > wall_ms();
    }
    bool is_list = settings.shards_from == ShardsFrom::list;
    return is_list && owns(settings.shards, static_cast<uint32>(settings.region), layout_, shard);
}

// A layout whose time wraps makes the same IDs again. Where the horizon was lowered, own IDs can lie above it.
Maker OwnIds::maker_of(int64 id, uint32 &shard) const {
    Parts parts;
    SharedState *state = is_preloaded() ? find_shared_state() : attached_state();
    bool is_told = state != nullptr && layout_.node_bits() != 0 && !packing_.wraps;
    if (!is_told || !unpack(packing_, id, parts) || !is_own(state, parts.shard)) return Maker::elsewhere;
    shard = parts.shard;
    SharedDatabase *database = find_database(state);
    if (database == nullptr || database->resets.load() != 0) return Maker::perhaps_here;
    const Horizon &horizon = database->horizon;
    auto is_above_floor = [&] {
        int64 floor_ms = Max(horizon.floor_ms.load(), claimed_ms(leases_of(state), shard));
        return parts.tick >= tick_from(packing_, us_of(floor_ms));
    };
    // Old rows, which are most of a table, need no lock.
    if (!is_above_floor()) return Maker::perhaps_here;
    Position last = position_of_slot(state, {key_of(layout_), MyDatabaseId, shard});
    bool is_above_all = is_above(parts, last) && is_above_floor();
    bool is_known = horizon.granted_ms.load() != 0 && database->resets.load() == 0;
    return is_above_all && is_known ? Maker::another : Maker::perhaps_here;
}

}  // namespace idgen::pg
