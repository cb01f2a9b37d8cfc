// What follows from the answer of a slot: IDs, a wait, a renewal, or an error. Times are unix ms.
#pragma once

#include "core/issue/slot.hpp"

namespace idgen {

// What settings say of full ticks and of waiting.
struct DrawRules {
    std::int64_t max_lead_ms;
    std::int64_t max_wait_ms;
    bool may_borrow;  // ticks ahead of the clock may be begun, up to max_lead_ms
    bool fails_when_full;
};

enum class Next : std::uint8_t {
    issue,     // the IDs
    renew,     // the horizon, for the tick that was refused
    keep,      // the number: wait until it is held, or its horizon raised
    wait,      // until the clock admits it, or a while
    full,      // an error: the shard has no ID left, and waiting is not wanted or would take too long
    borrowed,  // an error: other sessions have borrowed what it had left
    behind,    // an error: the clock is too far behind
    past_end,  // an error: the layout ends
};

// What follows from the final answer of a try, after a wait of so long.
constexpr Next next_step(const Take &taken, const Packing &p, const Limits &limits, const DrawRules &rules,
                         std::int64_t waited_ms) noexcept {
    switch (taken.status) {
        case Take::Status::ok:
            return Next::issue;
        case Take::Status::renew:
            return Next::renew;
        case Take::Status::capped:
            return Next::keep;
        case Take::Status::past_end:
            return Next::past_end;
        case Take::Status::full:
        case Take::Status::borrowed:
        case Take::Status::ahead:
            break;
    }
    bool is_borrowed = taken.status == Take::Status::borrowed;
    bool is_full = taken.status == Take::Status::full || is_borrowed;
    if (is_full && rules.fails_when_full) return Next::full;
    if (waited_ms + taken.wait_ms <= rules.max_wait_ms) return Next::wait;
    if (is_borrowed) return rules.may_borrow ? Next::full : Next::borrowed;
    // A clock that runs has ended a tick that was waited for.
    bool is_next_tick = start_of(p, taken.tick) - limits.now_ms <= p.unit_ms;
    return is_full && is_next_tick && waited_ms == 0 ? Next::full : Next::behind;
}

// Whether the clock admits a tick within the longest wait: asked before anything is drawn above one that was
// observed.
constexpr bool is_in_reach(std::int64_t lead_ms, const DrawRules &rules) noexcept {
    return lead_ms - rules.max_lead_ms <= rules.max_wait_ms;
}

}  // namespace idgen
