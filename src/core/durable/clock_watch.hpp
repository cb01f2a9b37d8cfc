// Notices a clock that is set. CLOCK_REALTIME less CLOCK_BOOTTIME is constant but for steps: slow
// corrections change the pace of both. A difference far above the highest accepted one is a jump. An ID
// stamped in a wrong future would hold up its shard until that future comes.
//
// The durable horizon H is evidence too, for its own database: IDs have come near it already. So a clock that
// is not far above H is no jump there, and a clock far below H is no measure for later ones.
#pragma once

#include <cstdint>

#include "core/durable/durable_record.hpp"

namespace idgen {

constexpr std::int64_t nothing_accepted = INT64_MIN;

// The clock as it was read once, ms.
struct ClockReading {
    std::int64_t now_ms;         // CLOCK_REALTIME: unix ms
    std::int64_t difference_ms;  // less CLOCK_BOOTTIME
};

// What a clock is judged by; all in ms.
struct ClockRules {
    std::int64_t max_jump_ms;
    std::int64_t farthest_horizon_ms;  // a right clock is not further behind H
};

struct ClockVerdict {
    bool is_accepted;
    bool is_for_server;        // the highest difference holds for other databases too
    std::int64_t accepted_ms;  // the highest accepted difference from now on
    std::int64_t jump_ms;      // how far above the highest accepted one the clock stands
};

// Judges a clock against the highest accepted difference and the database's horizon.
constexpr ClockVerdict judge_clock(std::int64_t accepted_ms, const ClockReading &clock, std::int64_t horizon_ms,
                                   const ClockRules &rules) noexcept {
    bool is_behind = horizon_ms - clock.now_ms > rules.farthest_horizon_ms;
    if (accepted_ms == nothing_accepted)
        return {true, !is_behind, is_behind ? nothing_accepted : clock.difference_ms, 0};
    std::int64_t jump_ms = clock.difference_ms - accepted_ms;
    bool is_near_horizon = clock.now_ms - horizon_ms <= rules.max_jump_ms;
    bool is_small = jump_ms <= rules.max_jump_ms;
    if (!is_small && !is_near_horizon) return {false, false, accepted_ms, jump_ms};
    bool is_higher = jump_ms > 0 && !is_behind;
    return {true, is_small, is_higher ? clock.difference_ms : accepted_ms, jump_ms};
}

// The highest difference that a record says was accepted on this boot.
constexpr std::int64_t accepted_by(const DurableRecord &record, const BootId &boot) noexcept {
    return is_known(boot) && record.boot == boot ? record.accepted_clock_ms : nothing_accepted;
}

// Puts it into a new record.
constexpr void carry_clock(DurableRecord &record, std::int64_t accepted_ms, const BootId &boot) noexcept {
    record.boot = accepted_ms == nothing_accepted ? BootId{0, 0} : boot;
    record.accepted_clock_ms = accepted_ms == nothing_accepted ? 0 : accepted_ms;
}

// Less than this is the noise of two readings, not a step.
constexpr std::int64_t smallest_step_ms = 10;

// How far the clock was set between two looks at the difference: forward above 0, back below 0; 0 for noise.
constexpr std::int64_t step_between(std::int64_t before_ms, std::int64_t difference_ms) noexcept {
    std::int64_t step_ms = difference_ms - before_ms;
    return step_ms >= smallest_step_ms || step_ms <= -smallest_step_ms ? step_ms : 0;
}

}  // namespace idgen
