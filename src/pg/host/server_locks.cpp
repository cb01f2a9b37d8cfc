#include "pg/host/server_locks.hpp"

namespace idgen::pg {
namespace {

// Ends what an error leaves behind in this process: the steps of a subtransaction's abort that do not belong to
// transactions.
void recover() {
    HOLD_INTERRUPTS();
    LWLockReleaseAll();
    pgstat_report_wait_end();
    abort_io();
    UnlockBuffers();
    XLogResetInsertion();
    ConditionVariableCancelSleep();
    LockErrorCleanup();
    reschedule_timeouts();
    RESUME_INTERRUPTS();
}

// Runs it; false if it raised an error that is dropped. Memory, owner and interrupts are the caller's to set back.
bool run_caught(void (*run)(void *), void *argument, MemoryContext memory, ResourceOwner owner) {
    volatile bool went_well = true;
    PG_TRY();
    run(argument);
    PG_CATCH();
    {
        CurrentResourceOwner = owner;
        if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_OPERATOR_INTERVENTION) PG_RE_THROW();
        MemoryContextSwitchTo(memory);
        FlushErrorState();
        recover();
        went_well = false;
    }
    PG_END_TRY();
    return went_well;
}

}  // namespace

void attempt(void (*run)(void *), void *argument) {
    // An error sets these to 0.
    uint32 interrupts_held = InterruptHoldoffCount;
    uint32 cancels_held = QueryCancelHoldoffCount;
    ResourceOwner owner = CurrentResourceOwner;
    ResourceOwner own = ResourceOwnerCreate(owner, "idgen attempt");
    CurrentResourceOwner = own;
    bool went_well = run_caught(run, argument, CurrentMemoryContext, owner);
    CurrentResourceOwner = owner;
    // Releases what it still has: nothing, if all went well. Outside of a transaction it has no parent.
    for (auto phase : {RESOURCE_RELEASE_BEFORE_LOCKS, RESOURCE_RELEASE_LOCKS, RESOURCE_RELEASE_AFTER_LOCKS})
        ResourceOwnerRelease(own, phase, went_well, owner == nullptr);
    ResourceOwnerDelete(own);
    InterruptHoldoffCount = interrupts_held;
    QueryCancelHoldoffCount = cancels_held;
}

}  // namespace idgen::pg
