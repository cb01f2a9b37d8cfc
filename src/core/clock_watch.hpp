// Notices a clock that is set. CLOCK_REALTIME less CLOCK_BOOTTIME is constant but for steps: slow
// corrections change the pace of both. A difference far above the highest accepted one is a jump. An ID
// stamped in a wrong future would hold up its shard until that future comes.
#pragma once

#include <cstdint>

namespace idgen {

constexpr std::int64_t nothing_accepted = INT64_MIN;

struct ClockVerdict {
    bool accepted;
    std::int64_t highest_ms;  // accepted: the highest difference from now on
    std::int64_t jump_ms;     // how far above the highest accepted difference the clock stands
};

// Judges the difference of the two clocks against the highest accepted one; all in ms.
constexpr ClockVerdict judge_clock(std::int64_t highest_ms, std::int64_t difference_ms,
                                   std::int64_t max_jump_ms) noexcept {
    if (highest_ms == nothing_accepted) return {true, difference_ms, 0};
    std::int64_t jump_ms = difference_ms - highest_ms;
    if (jump_ms > max_jump_ms) return {false, highest_ms, jump_ms};
    return {true, jump_ms > 0 ? difference_ms : highest_ms, jump_ms};
}

// Less than this is the noise of two readings, not a step.
constexpr std::int64_t smallest_step_ms = 10;

// How far the clock was set between two looks at the difference: forward above 0, back below 0; 0 for noise.
constexpr std::int64_t step_between(std::int64_t before_ms, std::int64_t difference_ms) noexcept {
    std::int64_t step_ms = difference_ms - before_ms;
    return step_ms >= smallest_step_ms || step_ms <= -smallest_step_ms ? step_ms : 0;
}

}  // namespace idgen
