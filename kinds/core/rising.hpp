// The rule of the kinds that rise across all sessions of a server, ULIDs and UUIDs of version 7: the next value is of
// the clock's time if that is later than the last value, else it is the next after the last. So they rise while the
// clock stands still or steps back by no more than is allowed. Further behind, they begin again at the clock: a clock
// that was ahead for a moment must not date what is made until it gets there.
//
// A session may be put off between reading the clock and taking the lock of the last value. Only a reading made under
// that lock says that the clock is behind.
#pragma once

#include <algorithm>
#include <cstdint>

namespace idgen {

// How far the clock may lie behind the last value for the order to go on, at the least; ms.
constexpr std::int64_t shortest_back_ms = 1000;

constexpr std::int64_t allowed_back_ms(std::int64_t max_lead_ms) noexcept {
    return std::max(max_lead_ms, shortest_back_ms);
}

// The clock as the next value takes it.
struct Reading {
    std::int64_t now;
    std::int64_t behind;  // more than 0: the order begins again, so far below the last value
};

// Settles at which time the next value is made. All in the unit of the kind's times; `now` was read before the lock,
// `read_clock` reads it again and raises nothing. No value can begin at a time before 1970.
template <class Clock>
Reading settle_reading(std::int64_t last, std::int64_t now, std::int64_t allowed_back, Clock read_clock) noexcept {
    if (last - now <= allowed_back) return {now, 0};
    now = read_clock();
    bool begins_again = last - now > allowed_back && now >= 0;
    return {now, begins_again ? last - now : 0};
}

}  // namespace idgen
