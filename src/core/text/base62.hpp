// A 64-bit ID as 11 digits of Base62, zeros in front:
//
//      digits 0-9, A-Z, a-z, in the order of their bytes        4036565484265537613 -> 4oBVmyxvRfB
//
// Texts of equal length and an alphabet in byte order: bytewise order is the order of the numbers.
// Never change: on disk, wherever a text column holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/digits.hpp"

namespace idgen {

constexpr std::string_view base62_alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
inline constexpr DigitTable base62_digits(base62_alphabet);
static_assert(base62_alphabet.size() == 62 && base62_digits['0'] == 0 && base62_digits['A'] == 10 &&
                  base62_digits['a'] == 36,
              "the digits are on disk");

constexpr std::size_t base62_size = 11;

// Writes base62_size bytes, without a terminating zero.
void print_base62(std::int64_t id, char *out) noexcept;

// Reads 1 to 11 digits.
TextError parse_base62(std::string_view text, std::int64_t &id) noexcept;

// Reads exactly 11 digits: what print_base62 writes, and nothing else.
TextError parse_padded_base62(std::string_view text, std::int64_t &id) noexcept;

}  // namespace idgen
