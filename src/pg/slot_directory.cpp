#include "pg/slot_directory.hpp"

#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

// The functions ending in _locked need SharedState::lock: to search in any mode, else exclusive.

SharedDatabase *find_database_locked(SharedState *state, Oid oid) noexcept {
    SharedDatabase *databases = databases_of(state);
    for (uint32 i = 0; i < state->database_count; i++)
        if (databases[i].database == oid) return &databases[i];
    return nullptr;
}

SharedDatabase *add_database_locked(SharedState *state, Oid oid) noexcept {
    SharedDatabase *entry = find_database_locked(state, InvalidOid);
    if (entry == nullptr && state->database_count < state->max_slots)
        entry = &databases_of(state)[state->database_count++];
    if (entry != nullptr) entry->database = oid;
    return entry;
}

int32 number_of(SharedState *state, const SharedSlot &slot) noexcept {
    return static_cast<int32>(&slot - slots_of(state));
}

// The instant after the last tick of a slot. Requires its mutex.
int64 end_of(const SharedSlot &slot) noexcept {
    const PackingKey &packing = slot.link.key.packing;
    return packing.epoch_ms + (slot.slot.tick + 1) * packing.unit_ms;
}

// Makes every handle to the slot invalid and returns the instant after its last tick, if that is
// at or before `idle_since_ms`; else changes nothing.
bool retire_if_over(SharedSlot &slot, int64 idle_since_ms, int64 &end_ms) noexcept {
    SpinLockAcquire(&slot.mutex);
    end_ms = end_of(slot);
    bool is_over = end_ms <= idle_since_ms;
    if (is_over) slot.generation++;
    SpinLockRelease(&slot.mutex);
    return is_over;
}

// The same for a slot that was not just given out. One given out by a clock ahead of this one counts as old.
bool retire_if_idle(SharedSlot &slot, int64 now_ms, int64 &end_ms) noexcept {
    int64 idle_since_ms = now_ms - slot_idle_ms;
    bool is_new = slot.given_ms > idle_since_ms && slot.given_ms <= now_ms;
    return !is_new && retire_if_over(slot, idle_since_ms, end_ms);
}

void free_slot_locked(SharedState *state, SharedSlot &slot) noexcept {
    int32 number = number_of(state, slot);
    index_of(state).remove(number);
    slot.link.next = state->free_slot;
    state->free_slot = number;
}

// Frees one idle slot of `only`, or of any database where that is InvalidOid.
bool free_idle_slot_locked(SharedState *state, Oid only, int64 now_ms) noexcept {
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[state->hand];
        state->hand = (state->hand + 1) % state->max_slots;
        Oid owner = slot.link.key.database;
        int64 end_ms;
        if (owner == InvalidOid || (only != InvalidOid && owner != only)) continue;
        if (!retire_if_idle(slot, now_ms, end_ms)) continue;
        SharedDatabase *database = find_database_locked(state, owner);
        raise(database->horizon.floor_ms, end_ms);
        database->slots--;
        free_slot_locked(state, slot);
        return true;
    }
    return false;
}

// Forgets all that is known of a database, its slots too. Requires that no session makes IDs in it.
void forget_locked(SharedState *state, SharedDatabase &database) noexcept {
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        int64 end_ms;
        if (slot.link.key.database != database.database) continue;
        retire_if_over(slot, PG_INT64_MAX, end_ms);
        free_slot_locked(state, slot);
    }
    forget(database.horizon);
    database.pending_lsn = InvalidXLogRecPtr;
    for (pg_atomic_uint64 *value : {&database.renewals, &database.renewed_ms, &database.stall})
        pg_atomic_write_u64(value, 0);
    database.confirmations = 0;
    database.known_generator = 0;
    database.pending_generator = 0;
    database.decimal_counter.forget();
    database.slots = 0;
}

// The instant below which all IDs lie that this database made since the start.
int64 reached_locked(SharedState *state, const SharedDatabase &database) noexcept {
    int64 reached_ms = database.horizon.floor_ms.load();
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        if (slot.link.key.database != database.database) continue;
        SpinLockAcquire(&slot.mutex);
        reached_ms = Max(reached_ms, end_of(slot));
        SpinLockRelease(&slot.mutex);
    }
    return reached_ms;
}

// What last wrote this database's row in pg_database: another transaction than before where the database was
// dropped and created again under the same OID.
TransactionId writer_of_row() {
    HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
    if (!HeapTupleIsValid(tuple)) return InvalidTransactionId;
    TransactionId writer = HeapTupleHeaderGetRawXmin(tuple->t_data);
    ReleaseSysCache(tuple);
    return writer;
}

// Whether sessions have the entry of this database.
bool has_sessions_locked(SharedState *state) noexcept {
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        if (pg_atomic_read_u32(&backend.pid) == 0) continue;
        pg_read_barrier();
        if (backend.database == MyDatabaseId) return true;
    }
    return false;
}

// The entry of this session's database; null where there is no room. One that was left by another database of
// this OID is begun anew; so is one whose row was written for any other reason, which a start would do as
// well. Not while sessions have it: they are of this very database.
SharedDatabase *enter_database_locked(SharedState *state, TransactionId writer) noexcept {
    SharedDatabase *entry = find_database_locked(state, MyDatabaseId);
    if (entry == nullptr) entry = add_database_locked(state, MyDatabaseId);
    if (entry == nullptr || entry->created_by == writer) return entry;
    if (!has_sessions_locked(state)) {
        int64 reached_ms = reached_locked(state, *entry);
        forget_locked(state, *entry);
        raise(entry->horizon.floor_ms, reached_ms);
    }
    entry->created_by = writer;
    return entry;
}

SlotHandle find_slot_locked(SharedState *state, const SlotKey &key) noexcept {
    int32 number = index_of(state).find(key);
    if (number == no_slot) return {nullptr, 0};
    SharedSlot &slot = slots_of(state)[number];
    return {&slot, slot.generation};
}

enum class Given { ok, share_used, all_used };

// Gives out a free slot, or an idle one. The slot begins at the database's floor, so a session that read an
// older floor still draws above it; not at the clock, which nobody has checked yet.
Given give_slot_locked(SharedState *state, SharedDatabase *database, const SlotKey &key, const Layout &layout,
                       int64 now_ms, SlotHandle &handle) noexcept {
    bool share_used = database->slots >= static_cast<uint32>(slots_per_database());
    if (share_used && !free_idle_slot_locked(state, key.database, now_ms)) return Given::share_used;
    if (state->free_slot == no_slot && !free_idle_slot_locked(state, InvalidOid, now_ms))
        return Given::all_used;
    int32 number = state->free_slot;
    SharedSlot &slot = slots_of(state)[number];
    state->free_slot = slot.link.next;
    slot.slot = new_slot(packing_of(layout), database->horizon.floor_ms);
    slot.full = {0, 0};
    slot.waits = slot.wait_us = 0;
    slot.form = form_of(layout);
    slot.given_ms = now_ms;
    index_of(state).insert(number, key);
    database->slots++;
    handle = {&slot, slot.generation};
    return Given::ok;
}

// Frees what belongs to databases that no longer exist. True where there was any.
bool free_dropped_databases(SharedState *state) {
    auto *dropped = static_cast<Oid *>(palloc(state->max_slots * sizeof(Oid)));
    uint32 count = 0;
    LWLockAcquire(&state->lock, LW_SHARED);
    for (uint32 i = 0; i < state->database_count; i++)
        if (Oid oid = databases_of(state)[i].database; oid != InvalidOid) dropped[count++] = oid;
    LWLockRelease(&state->lock);

    uint32 kept = 0;
    for (uint32 i = 0; i < count; i++)
        if (!SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(dropped[i]))) dropped[kept++] = dropped[i];

    LWLockAcquire(&state->lock, LW_EXCLUSIVE);
    for (uint32 i = 0; i < kept; i++) {
        SharedDatabase *database = find_database_locked(state, dropped[i]);
        if (database == nullptr) continue;
        forget_locked(state, *database);
        database->created_by = InvalidTransactionId;
        database->database = InvalidOid;
    }
    LWLockRelease(&state->lock);
    pfree(dropped);
    return kept > 0;
}

}  // namespace

SharedDatabase *my_database(SharedState *state, SharedBackend &backend) {
    TransactionId writer = writer_of_row();
    for (bool retry = true;; retry = false) {
        LWLockAcquire(&state->lock, LW_EXCLUSIVE);
        SharedDatabase *mine = enter_database_locked(state, writer);
        if (mine != nullptr) backend.database = MyDatabaseId;
        LWLockRelease(&state->lock);
        if (mine != nullptr) return mine;
        if (!retry || !free_dropped_databases(state)) report_all_slots_used();
    }
}

SharedDatabase *find_database(SharedState *state) noexcept {
    LWLockAcquire(&state->lock, LW_SHARED);
    SharedDatabase *database = find_database_locked(state, MyDatabaseId);
    LWLockRelease(&state->lock);
    return database;
}

int64 reached_ms(SharedState *state, const SharedDatabase &database) noexcept {
    LWLockAcquire(&state->lock, LW_SHARED);
    int64 ms = reached_locked(state, database);
    LWLockRelease(&state->lock);
    return ms;
}

SlotHandle find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                     int64 now_ms) {
    SlotKey key{key_of(layout), MyDatabaseId, shard};
    LWLockAcquire(&state->lock, LW_SHARED);
    SlotHandle handle = find_slot_locked(state, key);
    LWLockRelease(&state->lock);
    if (handle.slot != nullptr) return handle;

    for (bool retry = true;; retry = false) {
        Given given = Given::ok;
        LWLockAcquire(&state->lock, LW_EXCLUSIVE);
        handle = find_slot_locked(state, key);
        if (handle.slot == nullptr) given = give_slot_locked(state, database, key, layout, now_ms, handle);
        LWLockRelease(&state->lock);
        if (given == Given::ok) return handle;
        if (retry && free_dropped_databases(state)) continue;
        if (given == Given::share_used) report_share_used(slots_per_database());
        report_all_slots_used();
    }
}

void place_slots(SharedState *state, int64 at_ms, bool may_lower) noexcept {
    LWLockAcquire(&state->lock, LW_EXCLUSIVE);
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        const SlotKey &key = slot.link.key;
        if (key.database != MyDatabaseId) continue;
        Packing p{};
        p.epoch_ms = key.packing.epoch_ms;
        p.unit_ms = key.packing.unit_ms;
        Slot placed = new_slot(p, at_ms);
        SpinLockAcquire(&slot.mutex);
        if (slot.slot.tick <= placed.tick || may_lower) move_slot(slot.slot, placed);
        SpinLockRelease(&slot.mutex);
    }
    LWLockRelease(&state->lock);
}

}  // namespace idgen::pg
