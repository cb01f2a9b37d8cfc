#include "pg/state/own_transaction.hpp"

#include "pg/report/preload.hpp"
#include "pg/state/libraries.hpp"

namespace idgen::pg {

OwnTransaction<SpinLock> own_transaction{};

namespace {

[[noreturn]] void report_no_memory() {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("cannot make IDs in a parallel worker without idgen's shared memory"),
            errdetail(
                "If this machine were copied with its memory, the session would not know what the worker was handed."),
            errhint("%s", preload_hint()));
}

// Of a session without shared memory.
ProcessEntry<SpinLock> &entry_of_own() {
    static ProcessEntry<SpinLock> entry;
    if (IsParallelWorker()) report_no_memory();
    entry.mutex.initialise();
    return entry;
}

[[noreturn]] void report_copied() {
    ereport(
        ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
        errmsg("this machine was resumed from a snapshot of its memory while the transaction was open"),
        errdetail(
            "The transaction was given IDs or other values before, and each copy of the machine would store the same ones."),
        errhint("Run the transaction again."));
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
    if (unlikely(!own_transaction.admits(event, machine()))) report_copied();
}

}  // namespace idgen::pg
