// Instants. Where a tick is computed, or how far it lies ahead of the clock, an instant is microseconds since
// 2000-01-01T00:00:00Z, as in the server's timestamptz: names end in `_us`. What is shared, on disk or in a registry
// (horizons, what is announced, what is settled) is whole unix milliseconds: names end in `_ms`.
//
//      ms:        |               |               |
//      us:        | . . . x . . . |                     ms_down(x) is the left one, ms_up(x) the right one
//
// What must lie above IDs that were made goes up: floors, ends of slots, horizons. What must lie below those that may
// still be made goes down: announcements. A tick starts before a whole ms if the ms that it starts in does.
#pragma once

#include <cstdint>

namespace idgen {

constexpr std::int64_t year_2000_ms = 946684800000;

// The end of timestamptz, 294277-01-01T00:00:00Z: no tick may start there or later.
constexpr std::int64_t calendar_end_ms = 9224318016000000;
constexpr std::int64_t calendar_end_us = (calendar_end_ms - year_2000_ms) * 1000;

// The instant at which a ms begins. What lies beyond the calendar, such as "never", becomes a bound of it.
constexpr std::int64_t us_of(std::int64_t unix_ms) noexcept {
    if (unix_ms >= calendar_end_ms) return calendar_end_us;
    if (unix_ms <= 2 * year_2000_ms - calendar_end_ms) return -calendar_end_us;
    return (unix_ms - year_2000_ms) * 1000;
}

// The last ms that begins at or before an instant.
constexpr std::int64_t ms_down(std::int64_t us) noexcept {
    return year_2000_ms + us / 1000 - (us % 1000 < 0 ? 1 : 0);
}

// The first ms that begins at or after an instant.
constexpr std::int64_t ms_up(std::int64_t us) noexcept {
    return year_2000_ms + us / 1000 + (us % 1000 > 0 ? 1 : 0);
}

// Of a counter of that frequency, how many counts are 10 us; 0: it is too coarse to tell.
constexpr std::uint64_t counts_of_10_us(std::uint64_t hertz) noexcept {
    constexpr std::uint64_t coarse_hertz = 1000000;
    return hertz < coarse_hertz ? 0 : hertz / 100000;
}

// Whether less than `recent` counts lie between; a counter that went back says no.
constexpr bool is_recent(std::uint64_t before, std::uint64_t now, std::uint64_t recent) noexcept {
    return now - before < recent;
}

}  // namespace idgen
