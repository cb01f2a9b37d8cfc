// IDs for rows that are older than their IDs: instants in ascending order become ascending IDs of one shard.
//
//      place = the smallest (tick, sequence) of the shard that is
//              in the instant's tick or after it, above the place before it, and not taken
//
// So a row stands in its own tick while that has room, and in the next one with room after it. Places only
// rise; the taken IDs are given in ascending order and passed by once. No clock and no slot takes part.
#pragma once

#include <cstdint>

#include "core/layout/packing.hpp"

namespace idgen {

struct Placement {
    std::uint32_t shard;        // the whole number of the node
    std::int64_t above;         // the last ID placed; 0 before the first
    const std::int64_t *taken;  // ascending
    std::int64_t taken_count;
};

// Places an instant's tick: its ID, also in `above`. TickReason::past_end where no room is left.
// Requires a packing that does not wrap, and a tick and a shard that it holds.
TickReason place(const Packing &p, Placement &placement, std::int64_t tick) noexcept;

}  // namespace idgen
