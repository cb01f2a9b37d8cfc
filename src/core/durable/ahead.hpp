// Why a tick lies further ahead of the clock than it may, so that an error blames the clock only where that
// is to blame. A floor can lie ahead of a clock that is right: after a promotion, after a start, where
// somebody raised it, or where a number from the registry was another server's. How far the clock was set
// back since it was accepted, and whether it fell behind a steady clock during the wait, tell the rest. Times
// are unix ms.
#pragma once

#include <cstdint>

#include "core/durable/clock_watch.hpp"

namespace idgen {

enum class Ahead : std::uint8_t {
    clock,        // the clock was set back, or stands still
    debt,         // another server may have made IDs up to there
    advance,      // somebody moved the horizon there
    number,       // the number from the registry begins there
    horizon,      // IDs begin at the horizon as it was found, no further than a right clock leaves it
    far_horizon,  // the same, further: the clock is behind, or a wrong clock or somebody raised the horizon
    full,         // the tick has no ID left
    unknown,      // the last IDs lie there
};

// What is known of a tick that was refused, and of what may have put it there.
struct AheadView {
    std::int64_t start_ms;  // of the tick
    std::int64_t unit_ms;
    std::int64_t now_ms;
    std::int64_t wait_ms;  // until the clock would admit it
    bool is_full;          // it is the next one because the one before is full

    std::int64_t max_lead_ms;
    std::int64_t farthest_ms;  // a right clock leaves H no further ahead
    std::int64_t floor_ms;
    bool is_indebted;
    std::int64_t advanced_ms;  // where somebody moved the horizon to; 0: nobody did
    std::int64_t claimed_ms;   // where the number begins; 0: it is none of a registry
    std::int64_t set_back_ms;  // how far the clock stands below the highest that was accepted
    std::int64_t lost_ms;      // how far it fell behind a steady clock during the wait
};

// Whether the tick is the first from an instant on, or lies below it.
constexpr bool is_put_there(const AheadView &view, std::int64_t by_ms) noexcept {
    return by_ms > view.start_ms - view.unit_ms;
}

// Whether a clock that stands `set_back_ms` below the highest that was accepted explains so much of a lead.
constexpr bool explains(std::int64_t set_back_ms, std::int64_t lead_ms) noexcept {
    return set_back_ms >= smallest_step_ms && set_back_ms >= lead_ms - smallest_step_ms;
}

// Of a tick at the floor, or of one above the last ID.
constexpr Ahead why_at_floor(const AheadView &view) noexcept {
    std::int64_t unusual_ms = view.start_ms - view.now_ms - view.farthest_ms - view.unit_ms;
    if (unusual_ms <= 0) return view.is_indebted ? Ahead::debt : Ahead::horizon;
    return explains(view.set_back_ms, unusual_ms) ? Ahead::clock : Ahead::far_horizon;
}
constexpr Ahead why_above_last(const AheadView &view) noexcept {
    std::int64_t unusual_ms = view.start_ms - view.now_ms - view.max_lead_ms - view.unit_ms;
    if (unusual_ms <= 0) return view.is_full ? Ahead::full : Ahead::unknown;
    return explains(view.set_back_ms, unusual_ms) ? Ahead::clock : Ahead::unknown;
}

constexpr Ahead why_ahead(const AheadView &view) noexcept {
    // Had it gone on, the tick would be admitted by now.
    if (view.lost_ms >= smallest_step_ms && view.lost_ms >= view.wait_ms) return Ahead::clock;
    if (is_put_there(view, view.advanced_ms)) return Ahead::advance;
    if (is_put_there(view, view.claimed_ms)) return Ahead::number;
    return is_put_there(view, view.floor_ms) ? why_at_floor(view) : why_above_last(view);
}

}  // namespace idgen
