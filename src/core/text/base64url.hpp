// A 64-bit ID as digits of Base64 for addresses, as in the links of Instagram's posts (shortcodes):
//
//      digits A-Z, a-z, 0-9, -, _ for 0 to 63; no digit A in front       2574187014843321420 -> CO5WXONKMxM
//
// The digits of a number, not RFC 4648 over its bytes: 11 digits at most, 1 at least, no padding. The
// shortest form of the three; its bytewise order is not the order of the numbers. Never change: on disk,
// wherever a text column holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/digits.hpp"

namespace idgen {

constexpr std::size_t base64url_size = 11;  // of the longest

// Writes up to base64url_size bytes, without a terminating zero; returns the bytes written.
std::size_t print_base64url(std::int64_t id, char *out) noexcept;

// Reads 1 to 11 digits; an A in front is a zero.
TextError parse_base64url(std::string_view text, std::int64_t &id) noexcept;

}  // namespace idgen
