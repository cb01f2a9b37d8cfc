#include "lease/store/deadline.hpp"

namespace idgen::lease {

const char *sentence_of(Wake wake) noexcept {
    return wake == Wake::told_to_end ? "the call was interrupted" : "it did not answer in time";
}

Wake look_around(const Deadline &deadline) {
    // Others wait for every process to pass here.
    if (ProcSignalBarrierPending) ProcessProcSignalBarrier();
    // A server is started anew only when no process of the dead one is left.
    if (!PostmasterIsAlive()) proc_exit(1);
    if (is_told_to_end()) return Wake::told_to_end;
    return left_ms(deadline) == 0 ? Wake::late : Wake::ready;
}

Wake sleep_within(int64 ms, const Deadline &deadline) {
    Deadline end = deadline_in(Min(ms, left_ms(deadline)));
    for (;;) {
        Wake wake = look_around(deadline);
        if (wake != Wake::ready || left_ms(end) == 0) return wake;
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(left_ms(end)),
                  pg::registry_wait_event());
        ResetLatch(MyLatch);
    }
}

Wake wait_for_socket(pgsocket socket, int events, const Deadline &deadline) {
    for (;;) {
        Wake wake = look_around(deadline);
        if (wake != Wake::ready) return wake;
        int woken_by = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH | events, socket,
                                         static_cast<long>(left_ms(deadline)), pg::registry_wait_event());
        if ((woken_by & WL_LATCH_SET) != 0) ResetLatch(MyLatch);
        if ((woken_by & events) != 0) return Wake::ready;
    }
}

}  // namespace idgen::lease
