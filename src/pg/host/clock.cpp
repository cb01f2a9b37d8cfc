#include "pg/host/clock.hpp"

#include <ctime>

namespace idgen::pg {
namespace {

// The latch has a resolution of 1 ms: shorter sleeps are plain ones.
constexpr int64 plain_sleep_us = 2000;
constexpr int64 longest_sleep_us = 100000;

int64 read_us(clockid_t clock) noexcept {
    timespec now;
    clock_gettime(clock, &now);
    return int64{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

#if !defined(__x86_64__)
// What the processor says of its counter; 0: nothing.
uint64 counter_hertz() noexcept {
    uint64 hertz = 0;
#if defined(__aarch64__)
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
#endif
    return hertz;
}
#endif

}  // namespace

LastReading last_reading{};

#if !defined(__x86_64__)
const uint64 recent_cycles = counts_of_10_us(counter_hertz());
#endif

int64 wall_us() noexcept {
    last_reading.cycles = cycle_count();
    last_reading.us = read_us(CLOCK_REALTIME) - year_2000_ms * 1000;
    last_reading.ms = ms_down(last_reading.us);
    return last_reading.us;
}

Instant wall_instant() noexcept {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return {int64{now.tv_sec} * 1000 + now.tv_nsec / 1000000, static_cast<int32>(now.tv_nsec % 1000000)};
}

int64 monotonic_ms() noexcept {
    return read_us(CLOCK_MONOTONIC) / 1000;
}

int64 waited_since(int64 &began_ms) noexcept {
    int64 now_ms = monotonic_ms();
    if (began_ms == 0) began_ms = now_ms;
    return now_ms - began_ms;
}

int64 monotonic_us() noexcept {
    return read_us(CLOCK_MONOTONIC);
}

ClockReading read_clock() noexcept {
    // A process put off between two readings would see a step that was none.
    constexpr int tries = 10;
    constexpr int64 longest_us = 500;
    int64 before_us = boot_us();
    for (int i = 0;; i++) {
        int64 now_us = read_us(CLOCK_REALTIME);
        int64 after_us = boot_us();
        if (after_us - before_us <= longest_us || i == tries) return {now_us / 1000, (now_us - before_us) / 1000};
        before_us = after_us;
    }
}

int64 wall_minus_boot_ms() noexcept {
    return read_clock().difference_ms;
}

void sleep_us(int64 us) {
    if (us < plain_sleep_us) {
        pgstat_report_wait_start(tick_wait_event());
        sleep_exactly(us);
        pgstat_report_wait_end();
    } else {
        long ms = static_cast<long>(Min(us, longest_sleep_us) / 1000);
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms, tick_wait_event());
        ResetLatch(MyLatch);
    }
    CHECK_FOR_INTERRUPTS();
}

}  // namespace idgen::pg
