// The IDs of a period. IDs sort by time, so those whose ticks start in a period are all the numbers
// from a first to a last:
//
//      period          [from ............ end)
//      ticks      |    |    |    |    |    |    |       those that start in the period
//      numbers         first .......... last            lowest_id of the one, highest_id of the other
//
// No number inside is negative or too large for the layout. A period in which no tick starts has
// the span `no_ids`, which no number satisfies. Not for layouts whose time wraps.
#pragma once

#include <cstdint>

#include "core/layout/packing.hpp"

namespace idgen {

struct IdSpan {
    std::int64_t first;
    std::int64_t last;

    constexpr bool holds(std::int64_t id) const noexcept { return id >= first && id <= last; }
};

// Adjacent numbers: a planner that adds the two conditions' shares sees that nothing is left.
constexpr IdSpan no_ids{1, 0};

// The numbers whose tick starts at or after `from_ms` and before `end_ms`, unix ms. Requires a
// packing that does not wrap, and instants of timestamptz; any of them, also outside the layout.
constexpr IdSpan span_between(const Packing &p, std::int64_t from_ms, std::int64_t end_ms) noexcept {
    std::int64_t first = tick_from(p, from_ms);
    std::int64_t end = tick_from(p, end_ms);
    if (end > p.tick_end) end = p.tick_end;
    if (first >= end) return no_ids;
    return {lowest_id(p, first), highest_id(p, end - 1)};
}

}  // namespace idgen
