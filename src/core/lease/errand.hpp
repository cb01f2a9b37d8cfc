// What the keeper of a server's numbers has to ask the registry for next, for one of them.
#pragma once

#include "core/lease/lease.hpp"

namespace idgen {

// Which number a lease is for.
enum class LeaseFor : std::uint8_t {
    nothing,  // nobody wants it
    pool,     // any that is free: it goes into the server's own
    number,   // the one that was given by hand
};

enum class Errand : std::uint8_t {
    none,
    repeat,  // the call that was not answered
    claim,   // the number that was given by hand
    choose,  // a number, and take it
    extend,
    stop,
};

inline Errand next_errand(const Lease &lease, LeaseFor purpose, const ClockReading &clock,
                          const LeaseRules &rules) noexcept {
    if (is_waiting(lease)) return Errand::repeat;
    if (lease.is_ending) return is_held(lease) ? Errand::stop : Errand::none;
    if (is_held(lease)) return is_extension_due(lease, clock, rules) ? Errand::extend : Errand::none;
    switch (purpose) {
        case LeaseFor::pool:
            return Errand::choose;
        case LeaseFor::number:
            return Errand::claim;
        case LeaseFor::nothing:
            break;
    }
    return Errand::none;
}

// The rules of a number by hand: there is no other, so it is kept however far ahead R lies; its slots wait.
constexpr LeaseRules rules_for(LeaseRules rules, LeaseFor purpose) noexcept {
    constexpr std::int64_t any_ms = INT64_MAX / 2;
    if (purpose == LeaseFor::number) rules.max_lead_ms = any_ms;
    return rules;
}

}  // namespace idgen
