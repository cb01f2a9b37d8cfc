#include "pg/state/own_transaction.hpp"

#include "pg/state/libraries.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

OwnTransaction<SpinLock> own_transaction{};

namespace {

// Of a session without shared memory.
ProcessEntry<SpinLock> &entry_of_own() {
    static ProcessEntry<SpinLock> entry;
    if (IsParallelWorker())
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("cannot make IDs in a parallel worker without idgen's shared memory"),
            errdetail(
                "If this machine were copied with its memory, the session would not know what the worker was handed."),
            errhint("%s", preload_hint()));
    entry.mutex.initialise();
    return entry;
}

// Of a transaction that has not ended: by its whole number, whose lower half the server gives out.
bool is_of_this_start(SharedState *state, TransactionId xid) {
    uint64 next = U64FromFullTransactionId(ReadNextFullTransactionId());
    return next - (static_cast<uint32>(next) - xid) >= pg_atomic_read_u64(&state->first_xid);
}

void keep_announcement(SharedState *state, const PreparedAnnouncement &announcement) {
    state->prepared_lock.lock_patiently();
    bool has_room = hand_over(prepared_of(state), state->prepared_count, announcement, TransactionIdIsInProgress);
    state->prepared_lock.unlock();
    if (!has_room)
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_RESOURCES),
                errmsg("no room is left for what a prepared transaction has drawn"),
                errdetail("All %u places are in use.", state->prepared_count),
                errhint("Increase max_prepared_transactions and restart."));
}

bool is_in(uint32 process, const LocalTransaction &transaction) noexcept {
    const volatile PGPROC &found = ProcGlobal->allProcs[process];
    bool is_process = static_cast<uint32>(found.pid) == transaction.pid;
    return is_process && *transaction_of(&ProcGlobal->allProcs[process]) == transaction.number;
}

// Calls visit(xid, database) for each transaction that was prepared before the start, or may have been. It has a PGPROC
// behind those of the processes, and keeps that until it ends.
template <class Visit>
void for_each_old_prepared(SharedState *state, Visit visit) {
    for (int i = 0; i < max_prepared_xacts; i++) {
        const volatile PGPROC &prepared = ProcGlobal->allProcs[backend_limit() + static_cast<uint32>(i)];
        TransactionId xid = prepared.xid;
        if (TransactionIdIsValid(xid) && !is_of_this_start(state, xid)) visit(xid, prepared.databaseId);
    }
}

// What the server knows of its transactions.
struct Transactions {
    SharedState *state;

    bool is_in(uint32 process, const LocalTransaction &transaction) const noexcept {
        return pg::is_in(process, transaction);
    }
    bool is_in_progress(uint32 xid) const { return TransactionIdIsInProgress(xid); }
    template <class Visit>
    void for_each_old(Visit visit) const {
        for_each_old_prepared(state, [&](TransactionId xid, Oid database) { visit(xid, database == MyDatabaseId); });
    }
};

// Where sessions load the library, one of another library can prepare what it drew from a state of its own: then it is
// not kept that none is left.
Announcements<SpinLock> all_of(SharedState *state) noexcept {
    return {processes_of(state), state->backend_count, prepared_of(state), state->prepared_count,
            is_preloaded() ? &state->old_prepared_ended : nullptr};
}

// Up to where all is settled in this database below S, and who holds that back. Not during recovery: then the server
// would note which transactions are of this start, and they are not.
Settled gather_undecided(SharedState *state, int64 settled_ms) {
    Transactions transactions{state};
    return gather(settled_ms, all_of(state), MyDatabaseId, transactions, NoPause{});
}

}  // namespace

void attach_transaction() {
    if (own_transaction.is_attached()) return;
    bool is_worker = IsParallelWorker();
    bool may_be_prepared = max_prepared_xacts > 0;
    if (may_be_prepared || is_watched()) require_leaders_library();
    SharedState *state = find_shared_state();
    const PGPROC *leader = is_worker ? MyProc->lockGroupLeader : MyProc;
    uint32 number = announcing_process(process_number(MyProc), process_number(leader), is_worker);
    ProcessEntry<SpinLock> &entry = state != nullptr ? processes_of(state)[number] : entry_of_own();
    own_transaction.attach(entry, static_cast<uint32>(leader->pid), transaction_of(&ProcGlobal->allProcs[number]));
}

void mark_slowly(uint64 machine) {
    attach_transaction();
    own_transaction.mark(machine);
}

void require_one_machine(TransactionEvent event) {
    // A parallel worker commits small ones of its own as it starts; what it is handed is its leader's.
    if (likely(!is_watched()) || IsParallelWorker()) return;
    attach_transaction();
    if (likely(own_transaction.admits(event, machine()))) return;
    ereport(
        ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
        errmsg("this machine was resumed from a snapshot of its memory while the transaction was open"),
        errdetail(
            "The transaction was given IDs or other values before, and each copy of the machine would store the same ones."),
        errhint("Run the transaction again."));
}

void hand_over_prepared() {
    SharedState *state = find_shared_state();
    if (state == nullptr) return;
    note_first_xid(state);
    attach_transaction();
    PreparedAnnouncement announcement = own_transaction.announcement(MyDatabaseId, GetTopTransactionIdIfAny());
    if (announcement.start_ms != drew_nothing) require_newest_state();
    if (announcement.start_ms != drew_nothing || !is_of_this_start(state, announcement.xid))
        keep_announcement(state, announcement);
}

LiftedTo ReaderServer::lift() const {
    int64 accepted_ms = state->accepted_clock.accepted_ms.load();
    int64 now_ms = followed_ms(accepted_ms, read_clock(), database->horizon.durable_ms.load(), clock_rules());
    return lift_settled(database->horizon, database->pairs.mutex(), now_ms);
}

Settled ReaderServer::gather(int64 settled_ms) const {
    if (settled_ms == 0) return {none_settled, HeldBy::none, 0};
    return gather_undecided(state, settled_ms);
}

Settled look_at_settled(SharedState *state, int64 now_ms) {
    note_first_xid(state);
    return gather_undecided(state, now_ms);
}

int64 announced_ms(SharedState *state, uint32 process, Oid database) noexcept {
    LocalTransaction transaction;
    int64 start_ms;
    bool has_drawn = read_announcement(processes_of(state)[process], database, transaction, start_ms);
    return has_drawn && is_in(process, transaction) ? start_ms : 0;
}

PreparedCopies copy_prepared(SharedState *state) {
    Announcements<SpinLock> all = all_of(state);
    auto capacity = all.prepared_count + static_cast<uint32>(max_prepared_xacts);
    PreparedCopies copies{static_cast<PreparedAnnouncement *>(palloc(capacity * sizeof(PreparedAnnouncement))), 0};
    PreparedAnnouncement entry;
    for (uint32 i = 0; i < all.prepared_count; i++) {
        bool has_drawn = read_prepared(all.prepared[i], entry) && entry.start_ms != drew_nothing;
        if (has_drawn && TransactionIdIsInProgress(entry.xid)) copies.rows[copies.count++] = entry;
    }
    for_each_old_prepared(state, [&](TransactionId xid, Oid database) {
        if (!is_remembered(all, xid) && TransactionIdIsInProgress(xid))
            copies.rows[copies.count++] = {xid, database, INT64_MIN};
    });
    return copies;
}

}  // namespace idgen::pg
