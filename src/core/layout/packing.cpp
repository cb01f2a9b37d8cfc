#include "core/layout/packing.hpp"

namespace idgen {

PackingKey key_of(const Layout &l) noexcept {
    PackingKey key{};
    key.epoch_ms = l.epoch_ms;
    key.unit_us = static_cast<std::uint32_t>(l.unit_us());
    key.node_bits = static_cast<std::uint8_t>(l.node_bits());
    key.sequence_bits = l.sequence_bits;
    key.sequence_above = l.has(Layout::sequence_above) ? 1 : 0;
    return key;
}

Layout layout_of(const PackingKey &key, const LayoutForm &form) noexcept {
    Layout l{};
    l.epoch_ms = key.epoch_ms;
    l.time_bits = form.time_bits;
    l.region_bits = form.region_bits;
    l.shard_bits = static_cast<std::uint8_t>(key.node_bits - form.region_bits);
    l.sequence_bits = key.sequence_bits;
    l.flags = form.flags;
    l.set_unit_us(key.unit_us);
    return l;
}

std::int64_t start_nearest(const Packing &p, std::int64_t tick, std::int64_t near_us) noexcept {
    std::int64_t first = start_of(p, tick);
    if (!p.wraps || near_us <= first) return first;
    // Differences of instants are more than 63 bits hold.
    auto distance = [](std::int64_t from, std::int64_t to) {
        return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    };
    std::uint64_t turn_us = (p.time_mask + 1) * static_cast<std::uint64_t>(p.unit_us);
    std::uint64_t beyond_us = distance(first, near_us) % turn_us;
    std::int64_t before = near_us - static_cast<std::int64_t>(beyond_us);
    bool is_after_end = distance(before, calendar_end_us) <= turn_us;
    return beyond_us <= turn_us - beyond_us || is_after_end ? before : before + static_cast<std::int64_t>(turn_us);
}

TickReason check_tick(const Packing &p, std::int64_t tick) noexcept {
    if (tick < 0) return TickReason::before_epoch;
    return tick >= p.tick_end ? TickReason::past_end : TickReason::none;
}

PartReason check_parts(const Packing &p, std::int64_t tick, std::int64_t shard, std::int64_t sequence) noexcept {
    if (shard < 0 || shard > p.shard_last) return PartReason::shard_out_of_range;
    if (sequence < p.sequence_first || sequence > p.sequence_last) return PartReason::sequence_out_of_range;
    bool is_zero = pack(p, tick, static_cast<std::uint32_t>(shard), static_cast<std::uint32_t>(sequence)) == 0;
    return is_zero ? PartReason::id_would_be_zero : PartReason::none;
}

NodeReason whole_shard(const Layout &layout, std::uint32_t region, std::int64_t number, std::uint32_t &whole) noexcept {
    if (region != 0 && layout.region_bits == 0) return NodeReason::region_not_in_layout;
    if (region > mask32(layout.region_bits)) return NodeReason::region_out_of_range;
    if (number < 0 || number > mask32(layout.node_bits())) return NodeReason::shard_out_of_range;
    whole = static_cast<std::uint32_t>(number);
    if (region == 0 || whole >> layout.shard_bits == region) return NodeReason::none;
    if (whole >> layout.shard_bits != 0) return NodeReason::shard_not_in_region;
    whole |= region << layout.shard_bits;
    return NodeReason::none;
}

}  // namespace idgen
