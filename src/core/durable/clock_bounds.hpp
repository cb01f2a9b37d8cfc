// Between which instants the true time lies, where the kernel's NTP state says how far the clock may be off.
// What has an instant before `earliest` is past on every clock that keeps its word; all in microseconds.
#pragma once

#include <cstdint>

namespace idgen {

// What the kernel says; see adjtimex(2).
struct ClockState {
    bool is_synchronised;
    std::int64_t max_error_us;  // the bound
    std::int64_t est_error_us;  // the estimate
};

struct ClockBounds {
    std::int64_t earliest_us;
    std::int64_t latest_us;
};

constexpr std::int64_t error_of(const ClockState &state) noexcept {
    std::int64_t error_us = state.max_error_us > state.est_error_us ? state.max_error_us : state.est_error_us;
    return error_us > 0 ? error_us : 0;
}

// The same in ms, rounded up: how far the clock may be off.
constexpr std::int64_t error_ms_of(const ClockState &state) noexcept {
    return error_of(state) / 1000 + (error_of(state) % 1000 != 0 ? 1 : 0);
}

// Whether the kernel says so little of its clock's error that the clock can be trusted within `limit_ms`.
constexpr bool is_within(const ClockState &state, std::int64_t limit_ms) noexcept {
    return state.is_synchronised && error_ms_of(state) <= limit_ms;
}

// The bounds, from readings of the clock before and after the kernel was asked.
constexpr ClockBounds clock_bounds(std::int64_t before_us, std::int64_t after_us, const ClockState &state) noexcept {
    std::int64_t first_us = before_us < after_us ? before_us : after_us;
    std::int64_t last_us = before_us < after_us ? after_us : before_us;
    return {first_us - error_of(state), last_us + error_of(state)};
}

// How long until an instant is past for certain, as far as is known now; 0: it is.
constexpr std::int64_t time_until_past(const ClockBounds &bounds, std::int64_t at_us) noexcept {
    if (at_us < bounds.earliest_us) return 0;
    std::int64_t us = 0;
    bool is_beyond = __builtin_sub_overflow(at_us, bounds.earliest_us - 1, &us);
    return is_beyond ? INT64_MAX : us;
}

}  // namespace idgen
