#include "pg/state/database_directory.hpp"

#include "pg/report/report_shards.hpp"
#include "pg/state/slot_entry.hpp"

namespace idgen::pg {
namespace {

// The functions ending in _locked need SharedState::lock: to search in any mode, else exclusive.

SharedDatabase *add_database_locked(SharedState *state, Oid oid) noexcept {
    SharedDatabase *entry = find_database_locked(state, InvalidOid);
    if (entry == nullptr && state->database_count < state->max_slots)
        entry = &databases_of(state)[state->database_count++];
    if (entry != nullptr) entry->database = oid;
    return entry;
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
    subtract(state->slots, database.slots);
    database.slots = {0, 0};
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

// Whether sessions have the entry of a database.
bool has_sessions_locked(SharedState *state, Oid database) noexcept {
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        if (pg_atomic_read_u32(&backend.pid) == 0) continue;
        pg_read_barrier();
        if (backend.database == database) return true;
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
    if (TransactionIdIsValid(entry->created_by) && !has_sessions_locked(state, MyDatabaseId)) {
        int64 reached_ms = reached_locked(state, *entry);
        forget_locked(state, *entry);
        raise(entry->horizon.floor_ms, reached_ms);
    }
    entry->created_by = writer;
    return entry;
}

}  // namespace

SharedDatabase *find_database_locked(SharedState *state, Oid oid) noexcept {
    SharedDatabase *databases = databases_of(state);
    for (uint32 i = 0; i < state->database_count; i++)
        if (databases[i].database == oid) return &databases[i];
    return nullptr;
}

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
        // Its OID may have been given again meanwhile.
        if (database == nullptr || has_sessions_locked(state, dropped[i])) continue;
        forget_locked(state, *database);
        database->created_by = InvalidTransactionId;
        database->database = InvalidOid;
    }
    LWLockRelease(&state->lock);
    pfree(dropped);
    return kept > 0;
}

SharedDatabase *my_database(SharedState *state, SharedBackend &backend) {
    TransactionId writer = writer_of_row();
    for (bool retry = true;; retry = false) {
        LWLockAcquire(&state->lock, LW_EXCLUSIVE);
        SharedDatabase *mine = enter_database_locked(state, writer);
        if (mine != nullptr) backend.database = MyDatabaseId;
        LWLockRelease(&state->lock);
        if (mine != nullptr) return mine;
        if (!retry || !free_dropped_databases(state))
            report_all_slots_used(static_cast<int>(state->max_slots));
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

}  // namespace idgen::pg
