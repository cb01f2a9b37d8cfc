#include "core/issue/seen_id.hpp"

namespace idgen {

bool place_of(const Packing &p, std::int64_t id, std::int64_t now_ms, LastDraw &seen) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts) || parts.sequence < first_sequence(p, parts.tick, parts.shard)) return false;
    std::int64_t tick = p.wraps ? tick_of(p, start_nearest(p, parts.tick, now_ms)) : parts.tick;
    seen = {tick, parts.shard, parts.sequence};
    return true;
}

LastDraw later_of(const Packing &p, const LastDraw &a, const LastDraw &b) noexcept {
    if (a.tick != b.tick) return a.tick > b.tick ? a : b;
    return pack(p, 0, a.shard, a.sequence) > pack(p, 0, b.shard, b.sequence) ? a : b;
}

LastDraw drawn_beyond(const Packing &p, const LastDraw &seen, std::uint32_t largest_shard) noexcept {
    if (lowest_above(p, seen, largest_shard).sequence <= p.sequence_last) return seen;
    // Every shard finds itself above this one, at sequence 0: the one after no_sequence.
    return {seen.tick + 1, p.shard_above ? 0 : p.shard_last, no_sequence};
}

}  // namespace idgen
