#include "core/issue/placement.hpp"

namespace idgen {
namespace {

struct Spot {
    std::int64_t tick;
    std::uint32_t sequence;
};

// The spot after one: the next sequence, or the first of the next tick.
Spot after(const Packing &p, Spot spot, std::uint32_t shard) noexcept {
    if (spot.sequence < p.sequence_last) return {spot.tick, spot.sequence + 1};
    return {spot.tick + 1, first_sequence(p, spot.tick + 1, shard)};
}

// The first spot of a tick, or the one after the last that was given, whichever is later.
Spot earliest(const Packing &p, const Placement &placement, std::int64_t tick) noexcept {
    Spot first{tick, first_sequence(p, tick, placement.shard)};
    if (first.sequence > p.sequence_last) first = {tick + 1, p.sequence_first};
    Parts last{};
    if (placement.above <= 0 || !unpack(p, placement.above, last) || last.tick < tick) return first;
    return after(p, {last.tick, last.sequence}, placement.shard);
}

}  // namespace

TickReason place(const Packing &p, Placement &placement, std::int64_t tick) noexcept {
    for (Spot spot = earliest(p, placement, tick); spot.tick < p.tick_end; spot = after(p, spot, placement.shard)) {
        std::int64_t id = pack(p, spot.tick, placement.shard, spot.sequence);
        while (placement.taken_count > 0 && *placement.taken < id) {
            placement.taken++;
            placement.taken_count--;
        }
        if (placement.taken_count > 0 && *placement.taken == id) continue;
        placement.above = id;
        return TickReason::none;
    }
    return TickReason::past_end;
}

}  // namespace idgen
