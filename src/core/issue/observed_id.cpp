#include "core/issue/observed_id.hpp"

namespace idgen {
namespace {

// Orders what was drawn in one tick: by its ID, after the beginning of the tick as drawn_beyond has it.
std::int64_t order_in_tick(const Packing &p, const DrawHistory &drawn) noexcept {
    return drawn.sequence == no_sequence ? -1 : pack(p, 0, drawn.shard, drawn.sequence);
}

}  // namespace

bool position_of(const Packing &p, std::int64_t id, std::int64_t now_ms, DrawHistory &observed) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts) || parts.sequence < first_sequence(p, parts.tick, parts.shard)) return false;
    std::int64_t tick = p.wraps ? tick_of(p, start_nearest(p, parts.tick, now_ms)) : parts.tick;
    observed = {tick, parts.shard, parts.sequence};
    return true;
}

DrawHistory later_of(const Packing &p, const DrawHistory &a, const DrawHistory &b) noexcept {
    if (a.tick != b.tick) return a.tick > b.tick ? a : b;
    return order_in_tick(p, a) > order_in_tick(p, b) ? a : b;
}

DrawHistory drawn_beyond(const Packing &p, const DrawHistory &observed, std::uint32_t largest_shard) noexcept {
    if (lowest_above(p, observed, largest_shard).sequence <= p.sequence_last) return observed;
    // Every shard finds itself above this one, at sequence 0: the one after no_sequence.
    return {observed.tick + 1, p.shard_above ? 0 : p.shard_last, no_sequence};
}

}  // namespace idgen
