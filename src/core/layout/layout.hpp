// How a 64-bit ID is packed: the tick (unit and epoch) and the bit fields, highest first.
//
//      | 0 ... | time | region | shard | sequence |      shard above sequence (instagram)
//      | 0 ... | time | sequence | region | shard |      shard below it (sonyflake)
//
// Time is always the highest field, so IDs sort by time. Region and shard together are the number of the node; either
// order of node and sequence is allowed, and each may be missing. A Layout is a value of 16 bytes, compared as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/layout/instant.hpp"

namespace idgen {

// Why a layout was refused, as text or by its fields.
enum class LayoutReason : std::uint8_t {
    none,
    empty,
    unknown_word,
    repeated_word,
    bad_number,
    bad_unit,
    bad_epoch,
    bad_flag,
    no_epoch,
    no_unit,
    no_time,
    time_not_highest,
    region_not_above_shard,
    field_too_wide,
    too_many_bits,
    wrap_sets_sign,
    outlasts_calendar,
    malformed,  // only if the binary value was made by hand
};

// Of any layout.
constexpr std::int64_t longest_tick_ms = 1000;
constexpr std::int64_t longest_tick_us = 1000 * longest_tick_ms;

// Never change: on disk, wherever a column or a default holds an id_layout.
struct Layout {
    std::int64_t epoch_ms;       // unix ms of tick 0
    std::uint16_t unit;          // length of a tick in ms; with unit_in_us in us, as far as 16 bits hold it
    std::uint8_t time_bits;      // 1 to 63
    std::uint8_t region_bits;    // region + shard: 0 to 31
    std::uint8_t shard_bits;     //
    std::uint8_t sequence_bits;  // 0 to 31
    std::uint8_t flags;          // Layout::Flag, or'ed
    std::uint8_t unit_above;     // with unit_in_us the bits of the unit above those 16; else 0

    enum Flag : std::uint8_t {
        time_wraps = 1,       // `w`: after the last tick comes tick 0
        sequence_from_1 = 2,  // `+1`: the sequence counts from 1
        sequence_above = 4,   // sequence above the node's number; only if both exist
        unit_in_us = 8,       // the unit is not a whole number of ms
    };

    constexpr bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
    // The length of a tick, 1 to longest_tick_us.
    constexpr std::int64_t unit_us() const noexcept {
        return has(unit_in_us) ? std::int64_t{unit_above} << 16 | unit : std::int64_t{unit} * 1000;
    }
    constexpr void set_unit_us(std::int64_t us) noexcept {
        bool is_in_us = us % 1000 != 0;
        std::int64_t count = is_in_us ? us : us / 1000;
        unit = static_cast<std::uint16_t>(count);
        unit_above = static_cast<std::uint8_t>(count >> 16);
        flags = static_cast<std::uint8_t>(is_in_us ? flags | unit_in_us : flags & ~unit_in_us);
    }
    constexpr int node_bits() const noexcept { return region_bits + shard_bits; }
    constexpr int total_bits() const noexcept { return time_bits + node_bits() + sequence_bits; }
};

static_assert(sizeof(Layout) == 16 && alignof(Layout) == 8, "id_layout is 16 bytes on disk");
static_assert(offsetof(Layout, unit) == 8 && offsetof(Layout, time_bits) == 10 &&
                  offsetof(Layout, sequence_bits) == 13 && offsetof(Layout, flags) == 14 &&
                  offsetof(Layout, unit_above) == 15,
              "the order of fields is on disk");
static_assert(std::is_trivially_copyable_v<Layout> && std::has_unique_object_representations_v<Layout>,
              "a layout is compared and hashed as bytes");

inline bool operator==(const Layout &a, const Layout &b) noexcept {
    return std::memcmp(&a, &b, sizeof(Layout)) == 0;
}

// Widest node number and sequence: SQL shows each as an int.
constexpr int max_field_bits = 31;

// Ticks of one turn: all that the time field holds and that leave bit 63 clear. Their number is a power of two.
constexpr int turn_bits(const Layout &l) noexcept {
    int low_bits = l.node_bits() + l.sequence_bits;
    return l.time_bits + low_bits > 63 ? 63 - low_bits : l.time_bits;
}
// Requires at most 62 bits, as a valid layout has.
constexpr std::int64_t turn_ticks(const Layout &l) noexcept {
    return std::int64_t{1} << turn_bits(l);
}

// The instant after the last tick of the first turn, us. Requires a valid layout.
constexpr std::int64_t end_of_first_turn(const Layout &l) noexcept {
    return us_of(l.epoch_ms) + turn_ticks(l) * l.unit_us();
}

// Checks the fields against each other. LayoutReason::none if IDs can be made with the layout.
LayoutReason validate(const Layout &layout) noexcept;

struct Preset {
    std::string_view name;
    Layout layout;
};

// The first is the default. Epochs and widths as their makers publish them; `idgen` is our own.
inline constexpr Preset presets[] = {
    {"instagram", {1314220021721, 1, 41, 0, 13, 10, 0, 0}},
    {"snowflake", {1577836800000, 1, 41, 0, 10, 12, 0, 0}},
    {"twitter", {1288834974657, 1, 41, 5, 5, 12, 0, 0}},
    {"discord", {1420070400000, 1, 42, 5, 5, 12, 0, 0}},
    {"sonyflake", {1409529600000, 10, 39, 0, 16, 8, Layout::sequence_above, 0}},
    {"sonyflake2", {1735689600000, 10, 39, 0, 16, 8, Layout::sequence_above, 0}},
    {"mastodon", {0, 1, 48, 0, 0, 16, 0, 0}},
    {"js53", {1577836800000, 1000, 32, 0, 8, 13, 0, 0}},
    {"js53ms", {1577836800000, 1, 41, 0, 6, 6, 0, 0}},
    {"idgen", {1767225600000, 1, 41, 0, 12, 10, 0, 0}},
    {"trace", {0, 1000, 25, 0, 16, 22, Layout::time_wraps | Layout::sequence_from_1, 0}},
};
constexpr int preset_count = sizeof(presets) / sizeof(presets[0]);
constexpr const Preset &preset(int index) noexcept {
    return presets[index];
}

constexpr std::size_t longest_preset = 10;  // characters of a name

// The preset of that name, in upper or lower case; or null.
const Preset *find_preset(std::string_view name) noexcept;
// The preset that somebody may have meant who wrote that word, which names none: it is like a name but for a letter or
// two, or begins one. Or null.
const Preset *nearest_preset(std::string_view word) noexcept;
// The preset that equals the layout, or null.
const Preset *find_preset(const Layout &layout) noexcept;

// A layout as text: the name of a preset, or the long form, words in any order but for the fields, which stand from the
// highest bit down:
//
//      epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10
//
//      epoch=  an instant in UTC, as in calendar.hpp       unit=   a tick: 1us to 1000000us, 1ms to 1000ms, or 1s
//      time=N, region=N, shard=N, sequence=N   bits; region directly above shard; time highest
//      time=Nw   time wraps                    sequence=N+1   the sequence counts from 1
//
// Spaces or commas stand between words. What print_layout writes, parse_layout reads back to an equal layout.

struct LayoutError {
    LayoutReason reason;
    std::string_view part;  // the refused word, within the text that was parsed; may be empty
};

LayoutError parse_layout(std::string_view text, Layout &layout) noexcept;

// Bytes that print_layout and print_long_layout can write, without a terminating zero.
constexpr std::size_t layout_text_size = 128;

// Writes the canonical form, a preset's name if there is one; returns the bytes written.
std::size_t print_layout(const Layout &layout, char *out) noexcept;
// Writes the long form always.
std::size_t print_long_layout(const Layout &layout, char *out) noexcept;

}  // namespace idgen
