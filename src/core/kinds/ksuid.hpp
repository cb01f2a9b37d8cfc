// KSUID: 20 bytes that sort by the second of their making.
//
//      | 32 bits seconds since 2014-05-13T16:53:20Z | 128 bits random |       text: 27 digits of Base62,
//      zeros in front
//
// The digits 0-9, A-Z, a-z are in the order of their bytes, so texts sort as values do, bytewise (COLLATE
// "C"). The last second is 2150-06-19T23:21:35Z. Source: github.com/segmentio/ksuid.
#pragma once

#include <string_view>

#include "core/kinds/time_prefixed.hpp"
#include "core/text/digits.hpp"

namespace idgen {

struct KsuidFormat {
    static constexpr std::size_t size = 20;
    static constexpr std::size_t time_size = 4;
    static constexpr std::size_t text_size = 27;
    static constexpr std::int64_t first_ms = 1400000000000;
    static constexpr std::int64_t unit_ms = 1000;
};
using Ksuid = TimePrefixed<KsuidFormat>;
static_assert(sizeof(Ksuid) == 20 && Ksuid::tail_size == 16, "a KSUID is 20 bytes on disk");

// Writes Ksuid::text_size bytes, without a terminating zero.
void print(const Ksuid &ksuid, char *out) noexcept;
// Reads exactly Ksuid::text_size digits of a number of 160 bits.
TextError parse(std::string_view text, Ksuid &ksuid) noexcept;

}  // namespace idgen
