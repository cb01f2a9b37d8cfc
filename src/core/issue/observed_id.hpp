// An ID that was observed elsewhere, as what a session must draw above: so that cause sorts before effect.
#pragma once

#include "core/issue/slot.hpp"

namespace idgen {

// The position of an ID, its tick in the turn that is nearest to `now_ms` where time wraps. False where the
// layout cannot have made it.
bool position_of(const Packing &p, std::int64_t id, std::int64_t now_ms, DrawHistory &observed) noexcept;

// Whichever makes the larger ID.
DrawHistory later_of(const Packing &p, const DrawHistory &a, const DrawHistory &b) noexcept;

// What the ID observed leaves to a session that owns shards up to `largest_shard`: itself, where one of them
// has a larger ID in the same tick; else the beginning of the next tick. So the tick to draw from is admitted
// as one that is held, like that of an own last ID, not as one that was filled up.
DrawHistory drawn_beyond(const Packing &p, const DrawHistory &observed, std::uint32_t largest_shard) noexcept;

}  // namespace idgen
