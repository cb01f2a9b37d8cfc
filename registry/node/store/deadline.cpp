#include "registry/node/store/deadline.hpp"

namespace idgen::lease {

const char *must_end(const Deadline &deadline) {
    // Others wait for every process to pass here.
    if (ProcSignalBarrierPending) ProcessProcSignalBarrier();
    // A server is started again only when no process of the dead one is left.
    if (!PostmasterIsAlive()) proc_exit(1);
    if (is_told_to_end() && !deadline.is_last) return "the call was interrupted";
    if (pg::machine() != deadline.machine) return "this machine was resumed from a snapshot of its memory meanwhile";
    return left_ms(deadline) == 0 ? "it did not answer in time" : nullptr;
}

const char *sleep_within(int64 ms, const Deadline &deadline) {
    Deadline end = deadline_in(Min(ms, left_ms(deadline)));
    for (;;) {
        const char *sentence = must_end(deadline);
        if (sentence != nullptr || left_ms(end) == 0) return sentence;
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(left_ms(end)),
                  pg::registry_wait_event());
        ResetLatch(MyLatch);
    }
}

const char *wait_for_socket(pgsocket socket, int events, const Deadline &deadline) {
    for (;;) {
        const char *sentence = must_end(deadline);
        if (sentence != nullptr) return sentence;
        int woken_by = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH | events, socket,
                                         static_cast<long>(left_ms(deadline)), pg::registry_wait_event());
        if ((woken_by & WL_LATCH_SET) != 0) ResetLatch(MyLatch);
        if ((woken_by & events) != 0) return nullptr;
    }
}

}  // namespace idgen::lease
