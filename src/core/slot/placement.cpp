#include "core/slot/placement.hpp"

#include "core/require.hpp"

namespace idgen {

namespace {

// Orders what was drawn in one tick: by its ID, after the beginning of the tick as drawn_beyond has it.
std::int64_t order_in_tick(const Packing &p, const DrawHistory &drawn) noexcept {
    return drawn.sequence == no_sequence ? -1 : pack(p, 0, drawn.shard, drawn.sequence);
}

}  // namespace

bool position_of(const Packing &p, std::int64_t id, std::int64_t now_us, DrawHistory &observed) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts) || parts.sequence < first_sequence(p, parts.tick, parts.shard)) return false;
    std::int64_t tick = p.wraps ? tick_of(p, start_nearest(p, parts.tick, now_us)) : parts.tick;
    observed = {tick, parts.shard, parts.sequence};
    return true;
}

DrawHistory later_of(const Packing &p, const DrawHistory &a, const DrawHistory &b) noexcept {
    if (a.tick != b.tick) return a.tick > b.tick ? a : b;
    return order_in_tick(p, a) >= order_in_tick(p, b) ? a : b;
}

DrawHistory drawn_beyond(const Packing &p, const DrawHistory &observed, std::uint32_t largest_shard) noexcept {
    DrawHistory beyond = observed;
    // Every shard finds itself above this one, at sequence 0: no_sequence + 1 wraps around to it.
    if (lowest_above(p, observed, largest_shard).sequence > p.sequence_last)
        beyond = {observed.tick + 1, p.shard_above ? 0 : p.shard_last, no_sequence};
    beyond.borrowed_tick = beyond.tick;
    return beyond;
}

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
    // The one ID of this tick would be 0: a layout without a sequence, and shard 0.
    if (first.sequence > p.sequence_last) first = {tick + 1, p.sequence_first};
    Parts last{};
    if (placement.above <= 0 || !unpack(p, placement.above, last) || last.tick < tick) return first;
    return after(p, {last.tick, last.sequence}, placement.shard);
}

}  // namespace

TickReason place(const Packing &p, Placement &placement, std::int64_t tick) noexcept {
    IDGEN_REQUIRE(!p.wraps && tick >= 0 && placement.shard <= p.shard_last);
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
