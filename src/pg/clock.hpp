// The clocks of this machine. The only place that reads them.
#pragma once

#include <ctime>

#include "pg/postgres.hpp"

namespace idgen::pg {

// The time of day, unix ms.
inline int64 wall_ms() noexcept {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return int64{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// The same in microseconds, for sleeping up to an instant.
int64 wall_us() noexcept;

// Time that no step of the clock touches, ms from some beginning; for measuring waits.
int64 monotonic_ms() noexcept;

// CLOCK_REALTIME less CLOCK_BOOTTIME, ms: it changes only when the clock is set or corrected.
int64 wall_minus_boot_ms() noexcept;

// What the kernel says of its clock, by its NTP state.
bool is_clock_synchronised() noexcept;

// Sleeps for about `us` microseconds, at most 0.1 s. Cancellation and termination end it with an
// error; a session that is told to look at something wakes early.
void sleep_us(int64 us);

}  // namespace idgen::pg
