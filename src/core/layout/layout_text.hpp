// A layout as text: the name of a preset, or the long form, words in any order but for the fields,
// which stand from the highest bit down:
//
//      epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10
//
//      epoch=  an instant in UTC, as in civil_time.hpp       unit=   a tick: 1ms to 1000ms, or 1s
//      time=N, region=N, shard=N, sequence=N   bits; region directly above shard; time highest
//      time=Nw   time wraps                    sequence=N+1   the sequence counts from 1
//
// What print_layout writes, parse_layout reads back to an equal layout.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/layout/layout.hpp"

namespace idgen {

struct LayoutError {
    LayoutReason reason;
    std::string_view part;  // the refused word, within the text that was parsed; may be empty
};

LayoutError parse_layout(std::string_view text, Layout &layout) noexcept;

// Bytes that print_layout and print_long_layout can write, without a terminating zero.
constexpr std::size_t layout_text_size = 128;

// Writes the canonical form, a preset's name where there is one; returns the bytes written.
std::size_t print_layout(const Layout &layout, char *out) noexcept;
// Writes the long form always.
std::size_t print_long_layout(const Layout &layout, char *out) noexcept;

}  // namespace idgen
