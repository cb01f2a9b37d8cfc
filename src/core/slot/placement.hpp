// IDs that the clock did not make now: one that was observed elsewhere, which a session must draw above, so that cause
// sorts before effect; and IDs for instants in the past, for backfill.
#pragma once

#include <cstdint>

#include "core/layout/packing.hpp"
#include "core/slot/slot.hpp"

namespace idgen {

// The position of an ID, its tick in the turn that is nearest to `now_us` where time wraps. False if the layout
// cannot have made it.
bool position_of(const Packing &p, std::int64_t id, std::int64_t now_us, DrawHistory &observed) noexcept;

// Whichever makes the larger ID; of equal ones the first.
DrawHistory later_of(const Packing &p, const DrawHistory &a, const DrawHistory &b) noexcept;

// What the ID observed leaves to a session that owns shards up to `largest_shard`: itself, where one of them has a
// larger ID in the same tick; else the beginning of the next tick. So the tick to draw from is admitted like that of an
// own last ID, not as one that was filled up. It is one that the session chose: begun ahead of the clock it counts as
// borrowed, so that sessions that wait go on after it.
DrawHistory drawn_beyond(const Packing &p, const DrawHistory &observed, std::uint32_t largest_shard) noexcept;

// IDs for rows that are older than their IDs: instants in ascending order become ascending IDs of one shard.
//
//      place = the smallest (tick, sequence) of the shard that is
//              in the instant's tick or after it, above the place before it, and not taken
//
// So a row stands in its own tick while that has room, and in the next one with room after it. Places only rise; the
// taken IDs are given in ascending order and passed by once. No clock and no slot takes part.

struct Placement {
    std::uint32_t shard;        // the whole number of the node
    std::int64_t above;         // the last ID placed; 0 before the first
    const std::int64_t *taken;  // ascending
    std::int64_t taken_count;
};

// Places an instant's tick: its ID, also in `above`. TickReason::past_end where no room is left. Requires a packing
// that does not wrap, and a tick and a shard that it holds.
TickReason place(const Packing &p, Placement &placement, std::int64_t tick) noexcept;

}  // namespace idgen
