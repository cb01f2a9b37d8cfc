// Notices a clock that is set. CLOCK_REALTIME less CLOCK_BOOTTIME is constant but for steps: slow corrections change
// the pace of both. A difference far above the highest accepted one is a jump. An ID stamped in a wrong future would
// hold up its shard until that future comes.
//
// The durable horizon H is evidence too, for its own database: IDs have come near it already. So a clock that is not
// far above H is no jump there, and a clock far below H is no measure for later ones.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/horizon/durable_record.hpp"

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

// The clock as far as IDs can have followed it: one that a renewal would refuse counts no further than the horizon.
constexpr std::int64_t followed_ms(std::int64_t accepted_ms, const ClockReading &clock, std::int64_t horizon_ms,
                                   const ClockRules &rules) noexcept {
    bool is_ahead = clock.now_ms > horizon_ms && !judge_clock(accepted_ms, clock, horizon_ms, rules).is_accepted;
    return is_ahead ? horizon_ms : clock.now_ms;
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

// Between which instants the true time lies, where the kernel's NTP state says how far the clock may be off. What has
// an instant before `earliest` is past on every clock that keeps its word; all in microseconds.

// What the kernel says; see adjtimex(2).
struct ClockState {
    bool is_synchronized;
    std::int64_t max_error_us;  // the bound
    std::int64_t est_error_us;  // the estimate
};

// A machine that was moved to another host, or paused, has another clock than the one that the kernel speaks of. What it
// says counts again once the time service has spoken: the bound only grows until then.
constexpr bool has_spoken_since(std::int64_t max_error_us, const ClockState &state) noexcept {
    return state.is_synchronized && state.max_error_us < max_error_us;
}

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
    return state.is_synchronized && error_ms_of(state) <= limit_ms;
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

// The clock that IDs may take, as far as it was accepted: highest differences of CLOCK_REALTIME and CLOCK_BOOTTIME. The
// server has one for databases whose record says none of this boot; a superuser who says that the clock is right
// overrules both.

// Of all databases of a server. In shared memory; the differences are ms.
struct AcceptedClock {
    std::atomic<std::int64_t> accepted_ms;     // only upward, but for confirmations
    std::atomic<std::int64_t> confirmed_ms;    // when a superuser last said that it is right
    std::atomic<std::uint32_t> confirmations;  // how often; written after the difference
};

// Nothing is accepted yet.
inline void forget(AcceptedClock &clock) noexcept {
    clock.accepted_ms = nothing_accepted;
    clock.confirmed_ms = nothing_accepted;
    clock.confirmations = 0;
}

// The highest difference accepted for a database whose record knows of `known` confirmations. If there were more since,
// the last one decides; otherwise the record, if it says something of this boot; otherwise what the server accepted.
inline std::int64_t accepted_for(const AcceptedClock &clock, std::uint32_t known, const DurableRecord &record,
                                 const BootId &boot) noexcept {
    if (clock.confirmations != known) return clock.confirmed_ms;
    std::int64_t recorded_ms = accepted_by(record, boot);
    return recorded_ms != nothing_accepted ? recorded_ms : clock.accepted_ms.load();
}

// Lifts what the server accepts.
inline void accept_up_to(AcceptedClock &clock, std::int64_t difference_ms) noexcept {
    std::int64_t seen = clock.accepted_ms;
    while (seen < difference_ms && !clock.accepted_ms.compare_exchange_weak(seen, difference_ms)) continue;
}

// Takes a clock with that difference for right, in every database.
inline void confirm(AcceptedClock &clock, std::int64_t difference_ms) noexcept {
    clock.accepted_ms = difference_ms;
    clock.confirmed_ms = difference_ms;
    clock.confirmations++;
}

}  // namespace idgen
