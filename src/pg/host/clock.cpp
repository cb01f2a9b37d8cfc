#include "pg/host/clock.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <unistd.h>

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

}  // namespace

LastReading last_reading{};

int64 wall_us() noexcept {
#if defined(__x86_64__)
    last_reading.cycles = __builtin_ia32_rdtsc();
#endif
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
    int64 boot_us = read_us(CLOCK_BOOTTIME);
    for (int i = 0;; i++) {
        int64 now_us = read_us(CLOCK_REALTIME);
        int64 after_us = read_us(CLOCK_BOOTTIME);
        if (after_us - boot_us <= longest_us || i == tries) return {now_us / 1000, (now_us - boot_us) / 1000};
        boot_us = after_us;
    }
}

int64 wall_minus_boot_ms() noexcept {
    return read_clock().difference_ms;
}

BootId read_boot_id() noexcept {
    char text[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {0, 0};
    ssize_t size = read(file, text, sizeof(text));
    close(file);
    return parse_random_id({text, size > 0 ? static_cast<size_t>(size) : 0});
}

ClockState kernel_clock() noexcept {
    timex state{};
    int verdict = adjtimex(&state);
    return {verdict != TIME_ERROR && verdict >= 0, state.maxerror, state.esterror};
}

void sleep_us(int64 us) {
    if (us < plain_sleep_us) {
        pgstat_report_wait_start(tick_wait_event());
        // The kernel lets a process oversleep by its slack, 50 us by default: a wait for a short tick would be mostly that.
        prctl(PR_SET_TIMERSLACK, 1UL);
        pg_usleep(static_cast<long>(us));
        prctl(PR_SET_TIMERSLACK, 0UL);
        pgstat_report_wait_end();
    } else {
        long ms = static_cast<long>(Min(us, longest_sleep_us) / 1000);
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms, tick_wait_event());
        ResetLatch(MyLatch);
    }
    CHECK_FOR_INTERRUPTS();
}

}  // namespace idgen::pg
