// The arithmetic of a layout: ticks from instants, IDs from parts, parts from IDs. Derived from a Layout only by shifts
// and masks, so it is made again wherever it is needed.
//
//      id = (tick & time_mask) << time_shift | shard << shard_shift | sequence << sequence_shift
//
// `shard` is here always the whole number of the node, region included.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout/layout.hpp"
#include "core/require.hpp"

namespace idgen {

// What decides the bits of an ID. Layouts with equal keys can make equal IDs, so they share slots: the width of time
// (the highest field), wrapping, the first sequence and the border between region and shard change no bit of an ID that
// both can make.
struct PackingKey {
    std::int64_t epoch_ms;
    std::uint32_t unit_us;
    std::uint8_t node_bits;
    std::uint8_t sequence_bits;
    std::uint8_t sequence_above;
    std::uint8_t zero;
};
static_assert(sizeof(PackingKey) == 16 && std::has_unique_object_representations_v<PackingKey>,
              "a key is compared and hashed as bytes");

PackingKey key_of(const Layout &layout) noexcept;

// What a layout has beside its packing key.
struct LayoutForm {
    std::uint8_t time_bits;
    std::uint8_t region_bits;
    std::uint8_t flags;  // but for the unit's
};

constexpr LayoutForm form_of(const Layout &layout) noexcept {
    return {layout.time_bits, layout.region_bits, static_cast<std::uint8_t>(layout.flags & ~Layout::unit_in_us)};
}

// The layout of which these are key and form.
Layout layout_of(const PackingKey &key, const LayoutForm &form) noexcept;

struct Packing {
    std::int64_t epoch_us;
    std::int64_t unit_us;
    std::int64_t tick_end;        // no tick at or past it is ever made
    std::uint64_t time_mask;      // of the tick, before the shift
    std::uint32_t shard_last;     // largest node number
    std::uint32_t sequence_last;  // largest sequence
    std::uint32_t sequence_first;
    std::uint8_t time_shift;
    std::uint8_t shard_shift;
    std::uint8_t sequence_shift;
    bool shard_above;  // the node's number lies above the sequence
    bool wraps;
};

struct Parts {
    std::int64_t tick;
    std::uint32_t shard;
    std::uint32_t sequence;
};

constexpr std::uint32_t mask32(int bits) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
}

// How far an instant lies behind the epoch, in us. Requires that it does not lie before it. From the first epoch to the
// end of the calendar it is more than 63 bits hold.
constexpr std::uint64_t us_since_epoch(const Packing &p, std::int64_t us) noexcept {
    return static_cast<std::uint64_t>(us) - static_cast<std::uint64_t>(p.epoch_us);
}

// The ticks up to the end of the calendar.
constexpr std::int64_t ticks_of_calendar(const Packing &p) noexcept {
    std::uint64_t ticks = us_since_epoch(p, calendar_end_us) / static_cast<std::uint64_t>(p.unit_us);
    return static_cast<std::int64_t>(std::min(ticks, static_cast<std::uint64_t>(INT64_MAX)));
}

// Requires a valid layout.
constexpr Packing packing_of(const Layout &l) noexcept {
    IDGEN_REQUIRE(l.unit_us() >= 1 && l.unit_us() <= longest_tick_us && l.time_bits >= 1 && turn_bits(l) < 63);
    IDGEN_REQUIRE(l.node_bits() <= 31 && l.sequence_bits <= 31 && l.total_bits() <= 64);
    Packing p{};
    bool sequence_above = l.has(Layout::sequence_above);
    p.epoch_us = us_of(l.epoch_ms);
    p.unit_us = l.unit_us();
    p.wraps = l.has(Layout::time_wraps);
    p.tick_end = p.wraps ? ticks_of_calendar(p) : turn_ticks(l);
    p.time_mask = static_cast<std::uint64_t>(turn_ticks(l)) - 1;
    p.shard_last = mask32(l.node_bits());
    p.sequence_last = mask32(l.sequence_bits);
    p.sequence_first = l.has(Layout::sequence_from_1) ? 1 : 0;
    p.time_shift = static_cast<std::uint8_t>(l.node_bits() + l.sequence_bits);
    p.shard_shift = sequence_above ? 0 : l.sequence_bits;
    p.sequence_shift = sequence_above ? static_cast<std::uint8_t>(l.node_bits()) : 0;
    p.shard_above = !sequence_above;
    return p;
}

// Whether a tick lies between the epoch and the end.
constexpr bool is_of_layout(const Packing &p, std::int64_t tick) noexcept {
    return static_cast<std::uint64_t>(tick) < static_cast<std::uint64_t>(p.tick_end);
}

// The IDs that a shard can make in one tick.
constexpr std::uint32_t ids_per_tick(const Packing &p) noexcept {
    return p.sequence_last - p.sequence_first + 1;
}

// Whole ticks in a time, none past the last.
constexpr std::int64_t ticks_in(const Packing &p, std::uint64_t us) noexcept {
    std::uint64_t ticks = us / static_cast<std::uint64_t>(p.unit_us);
    return static_cast<std::int64_t>(std::min(ticks, static_cast<std::uint64_t>(p.tick_end)));
}

// The tick that contains an instant; -1 for one before the epoch, tick_end for one past the end.
constexpr std::int64_t tick_of(const Packing &p, std::int64_t us) noexcept {
    return us < p.epoch_us ? -1 : ticks_in(p, us_since_epoch(p, us));
}

// The first tick that starts at or after an instant; 0 for one before the epoch, tick_end for one past the end.
constexpr std::int64_t tick_from(const Packing &p, std::int64_t us) noexcept {
    if (us <= p.epoch_us) return 0;
    std::int64_t before = ticks_in(p, us_since_epoch(p, us) - 1);
    return before < p.tick_end ? before + 1 : p.tick_end;
}

// The instant at which a tick starts, us. Requires a tick from -1 to the end of the calendar.
constexpr std::int64_t start_of(const Packing &p, std::int64_t tick) noexcept {
    auto since_epoch = static_cast<std::uint64_t>(tick) * static_cast<std::uint64_t>(p.unit_us);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(p.epoch_us) + since_epoch);
}

// A tick and when it starts.
struct Tick {
    std::int64_t number;
    std::int64_t start_us;
    std::int64_t start_ms;  // the ms that it starts in
};

constexpr Tick make_tick(const Packing &p, std::int64_t number) noexcept {
    std::int64_t start_us = start_of(p, number);
    return {number, start_us, ms_down(start_us)};
}

// Whether an instant lies in a tick.
constexpr bool contains(const Packing &p, const Tick &tick, std::int64_t us) noexcept {
    return static_cast<std::uint64_t>(us) - static_cast<std::uint64_t>(tick.start_us) <
           static_cast<std::uint64_t>(p.unit_us);
}

constexpr std::int64_t pack(const Packing &p, std::int64_t tick, std::uint32_t shard, std::uint32_t sequence) noexcept {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(tick) & p.time_mask) << p.time_shift |
                                     std::uint64_t{shard} << p.shard_shift |
                                     std::uint64_t{sequence} << p.sequence_shift);
}

// The parts of an ID, its tick in the first turn. False if the layout cannot have made it: a negative number, or one
// with bits above the time field.
constexpr bool unpack(const Packing &p, std::int64_t id, Parts &parts) noexcept {
    std::uint64_t bits = static_cast<std::uint64_t>(id);
    std::uint64_t tick = bits >> p.time_shift;
    if (id < 0 || tick > p.time_mask) return false;
    parts.tick = static_cast<std::int64_t>(tick);
    parts.shard = static_cast<std::uint32_t>(bits >> p.shard_shift) & p.shard_last;
    parts.sequence = static_cast<std::uint32_t>(bits >> p.sequence_shift) & p.sequence_last;
    return true;
}

// The smallest and largest number whose time part is that tick.
constexpr std::int64_t lowest_id(const Packing &p, std::int64_t tick) noexcept {
    return pack(p, tick, 0, 0);
}
constexpr std::int64_t highest_id(const Packing &p, std::int64_t tick) noexcept {
    return pack(p, tick, p.shard_last, p.sequence_last);
}

// The first sequence of a tick: an ID of 0 is never made.
constexpr std::uint32_t first_sequence(const Packing &p, std::int64_t tick, std::uint32_t shard) noexcept {
    bool would_be_zero = shard == 0 && (static_cast<std::uint64_t>(tick) & p.time_mask) == 0;
    return would_be_zero ? 1 : p.sequence_first;
}

// The start of the tick, in the turn that brings it nearest to `near_us`. Turns begin at the epoch: none is before it.
std::int64_t start_nearest(const Packing &p, std::int64_t tick, std::int64_t near_us) noexcept;

// Why a layout cannot hold an instant.
enum class TickReason : std::uint8_t { none, before_epoch, past_end };
TickReason check_tick(const Packing &p, std::int64_t tick) noexcept;

// Why shard and sequence make no ID of a tick that check_tick admits.
enum class PartReason : std::uint8_t { none, shard_out_of_range, sequence_out_of_range, id_would_be_zero };
PartReason check_parts(const Packing &p, std::int64_t tick, std::int64_t shard, std::int64_t sequence) noexcept;

// Why a number is not a node of a layout.
enum class NodeReason : std::uint8_t {
    none,
    shard_out_of_range,
    shard_not_in_region,
    region_out_of_range,
    region_not_in_layout,
};

// The largest shard that a node may own in a layout, beside its region if that is not 0.
constexpr std::uint32_t largest_shard(const Layout &layout, std::uint32_t region) noexcept {
    return mask32(region == 0 ? layout.node_bits() : layout.shard_bits);
}

// The node's whole number from a number as users give it and the node's region. A number that fits into the shard field
// gets the region above it; a larger one must already carry that region.
NodeReason whole_shard(const Layout &layout, std::uint32_t region, std::int64_t number, std::uint32_t &whole) noexcept;

// The IDs of a period. IDs sort by time, so those whose ticks start in a period are all the numbers from a first to a
// last:
//
//      period          [from ............ end)
//      ticks      |    |    |    |    |    |    |       those that start in the period
//      numbers         first .......... last            lowest_id of the one, highest_id of the other
//
// No number inside is negative or too large for the layout. A period in which no tick starts has the span `no_ids`,
// which no number satisfies. Not for layouts whose time wraps.

struct IdSpan {
    std::int64_t first;
    std::int64_t last;

    constexpr bool holds(std::int64_t id) const noexcept { return id >= first && id <= last; }
};

// Adjacent numbers: a planner that adds the two conditions' shares sees that nothing is left.
constexpr IdSpan no_ids{1, 0};

// The numbers whose tick starts at or after `from_us` and before `end_us`. Requires a packing that does not wrap;
// instants outside the layout do, too.
constexpr IdSpan span_between(const Packing &p, std::int64_t from_us, std::int64_t end_us) noexcept {
    IDGEN_REQUIRE(!p.wraps);
    std::int64_t first = tick_from(p, from_us);
    std::int64_t end = tick_from(p, end_us);
    if (first >= end) return no_ids;
    return {lowest_id(p, first), highest_id(p, end - 1)};
}

}  // namespace idgen
