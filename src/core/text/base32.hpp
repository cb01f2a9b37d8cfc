// A 64-bit ID as 13 digits of Douglas Crockford's Base32, zeros in front:
//
//      digits 0-9, A-Z without I, L, O, U, in the order of their bytes   4036565484265537613 -> 3G162XFD4002D
//
// For people who read an ID aloud or type it: reading takes either case, i and l as 1, o as 0, and skips
// hyphens. A check symbol may follow, the number modulo 37: one of the digits, or * ~ $ = U for 32 to 36. It
// finds every wrong digit and every two digits that changed places. Bytewise order is the order of the
// numbers. Never change: on disk, wherever a text column holds it. Source: crockford.com/base32.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/digits.hpp"

namespace idgen {

constexpr std::size_t base32_size = 13;

// Writes base32_size bytes, without a terminating zero.
void print_base32(std::int64_t id, char *out) noexcept;

// The check symbol of a number.
char base32_check(std::int64_t id) noexcept;

// Reads 1 to 13 digits, and after them the check symbol where there is one. A wrong one is refused:
// text_wrong_check, and `id` is the number of the digits.
TextError parse_base32(std::string_view text, bool has_check, std::int64_t &id) noexcept;

}  // namespace idgen
