// The clocks of this machine. The only place that reads them.
#pragma once

#include "core/layout/instant.hpp"
#include "pg/host/system.hpp"

namespace idgen::pg {

// The time of day, us since 2000 as a timestamptz.
int64 wall_us() noexcept;

// The same in unix ms.
inline int64 wall_ms() noexcept {
    return ms_down(wall_us());
}

// A counter of the processor that goes at one pace on all its cores; 0: there is none.
inline uint64 cycle_count() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64 count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

// How many counts are about 10 us; 0: the counter is none to measure that.
#if defined(__x86_64__)
constexpr uint64 recent_cycles = 20000;  // 4 to 10 us at 2 to 5 GHz
#else
[[gnu::visibility("hidden")]] extern const uint64 recent_cycles;
#endif

// The last reading of wall_us() in this process, and the counter just before it.
struct LastReading {
    uint64 cycles;
    int64 us;
    int64 ms;  // the same
};
[[gnu::visibility("hidden")]] extern LastReading last_reading;

// Whether the last reading is one of at most about 10 us ago. A session may always be put off between reading the clock
// and using it, so an older reading is never wrong, only late.
inline bool is_read_recently() noexcept {
    return is_recent(last_reading.cycles, cycle_count(), recent_cycles);
}

// The time of day as read recently; a third of the cost.
inline int64 recent_wall_us() noexcept {
    return is_read_recently() ? last_reading.us : wall_us();
}
inline int64 recent_wall_ms() noexcept {
    return is_read_recently() ? last_reading.ms : wall_ms();
}

// The time of day with all that the clock says of it: unix ms, and the nanoseconds since that ms began.
struct Instant {
    int64 ms;
    int32 ns;
};
Instant wall_instant() noexcept;

// Time that no step of the clock touches, ms from some beginning; for measuring waits.
int64 monotonic_ms() noexcept;

// The same in microseconds.
int64 monotonic_us() noexcept;

// How long a wait has lasted, ms. Begins it if `began_ms` is 0.
int64 waited_since(int64 &began_ms) noexcept;

// The time of day, and how far it is from the time since the boot, both of one reading: a clock that is set meanwhile
// is seen by both or by none.
ClockReading read_clock() noexcept;

// The time of day less the time since the boot, ms: it changes only when the clock is set.
int64 wall_minus_boot_ms() noexcept;

// Sleeps for about `us` microseconds, at most 0.1 s. Cancellation and termination end it with an error; a session that
// gets a signal to look at something wakes early.
void sleep_us(int64 us);

}  // namespace idgen::pg
