// ULID: 16 bytes that sort by the time of their making.
//
//      | 48 bits unix ms | 80 bits random |       text: 26 digits of Crockford's Base32, the first at most 7
//
// Within a millisecond, and while the clock stands behind, the maker adds 1 to the last random part: values
// rise strictly. Text is written in upper case and read in either, I and L as 1, O as 0. Source:
// github.com/ulid/spec.
#pragma once

#include <string_view>

#include "core/kinds/time_prefixed.hpp"
#include "core/text/digits.hpp"

namespace idgen {

struct UlidFormat {
    static constexpr std::size_t size = 16;
    static constexpr std::size_t time_size = 6;
    static constexpr std::size_t text_size = 26;
    static constexpr std::int64_t first_ms = 0;
    static constexpr std::int64_t unit_ms = 1;
};
using Ulid = TimePrefixed<UlidFormat>;
static_assert(sizeof(Ulid) == 16 && Ulid::last_ms == 281474976710655, "a ULID is 16 bytes on disk");

// Writes Ulid::text_size bytes, without a terminating zero.
void print(const Ulid &ulid, char *out) noexcept;
// Reads exactly Ulid::text_size digits.
TextError parse(std::string_view text, Ulid &ulid) noexcept;

// Moves the last ULID that was made on to the next: one of this time with the random tail where that time is
// later, else the last one plus 1. False where no random part is left in its millisecond: nothing is changed.
bool advance(Ulid &last, std::int64_t now_ms, const std::uint8_t (&random)[Ulid::tail_size]) noexcept;

}  // namespace idgen
