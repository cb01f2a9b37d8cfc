#include "core/layout/layout.hpp"

#include "core/layout/civil_time.hpp"

namespace idgen {
namespace {

constexpr std::uint8_t known_flags = Layout::time_wraps | Layout::sequence_from_1 | Layout::sequence_above;

// Fields that only a hand-made binary value can have wrong.
bool is_malformed(const Layout &l) noexcept {
    if (l.zero != 0 || (l.flags & ~known_flags) != 0) return true;
    if (l.has(Layout::sequence_above) && (l.node_bits() == 0 || l.sequence_bits == 0)) return true;
    return l.has(Layout::sequence_from_1) && l.sequence_bits == 0;
}

}  // namespace

LayoutReason validate(const Layout &l) noexcept {
    if (is_malformed(l)) return LayoutReason::malformed;
    if (l.epoch_ms < min_instant_ms || l.epoch_ms > max_instant_ms) return LayoutReason::bad_epoch;
    if (l.unit_ms < 1 || l.unit_ms > 1000) return LayoutReason::bad_unit;
    if (l.time_bits == 0) return LayoutReason::no_time;
    if (l.region_bits != 0 && l.shard_bits == 0) return LayoutReason::region_not_above_shard;
    if (l.node_bits() > max_field_bits || l.sequence_bits > max_field_bits) return LayoutReason::field_too_wide;
    if (l.total_bits() > 64) return LayoutReason::too_many_bits;
    if (l.has(Layout::time_wraps) && l.total_bits() > 63) return LayoutReason::wrap_sets_sign;
    // 2^53 ticks of 1 ms end where the calendar does, or later; more could overflow the product.
    if (l.time_bits > 54 || turn_ticks(l) > std::int64_t{1} << 53 || end_of_first_turn(l) > calendar_end_ms)
        return LayoutReason::outlasts_calendar;
    return LayoutReason::none;
}

const Preset *find_preset(std::string_view name) noexcept {
    for (const Preset &p : presets)
        if (p.name == name) return &p;
    return nullptr;
}

const Preset *find_preset(const Layout &layout) noexcept {
    for (const Preset &p : presets)
        if (p.layout == layout) return &p;
    return nullptr;
}

}  // namespace idgen
