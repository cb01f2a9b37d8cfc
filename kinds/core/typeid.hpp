// TypeID: 128 bits as text that says of what type it is.
//
//      user_01h455vb4pex5vsknk084sn02q      prefix, "_", 26 digits of Crockford's Base32 in lower case
//
// The prefix is that of core/text/id_prefix.hpp. Reading is strict: one value has one text, and texts of one prefix sort
// as their values do, bytewise. Source: github.com/jetify-com/typeid, specification 0.3.0.
#pragma once

#include <string_view>

#include "core/layout/uuid.hpp"
#include "core/text/digits.hpp"
#include "core/text/id_prefix.hpp"

namespace idgen {

inline constexpr DigitTable typeid_digits(crockford_lower_case);
inline constexpr DigitPairs typeid_pairs(crockford_lower_case);
constexpr std::size_t typeid_most = id_prefix_most + 1 + wide_base32_size;

struct TypeId {
    std::string_view prefix;
    Uuid value;
};

// Writes up to typeid_most bytes, without a terminating zero; gives their number. Requires a right prefix.
inline std::size_t print(const TypeId &id, char *out) noexcept {
    std::size_t size = print_id_prefix(id.prefix, out);
    print_wide_base32(typeid_pairs, load_wide(id.value.octets), out + size);
    return size + wide_base32_size;
}

// The prefix is part of the text.
inline TextError parse(std::string_view text, TypeId &id) noexcept {
    std::string_view rest = text;
    if (TextError error = take_id_prefix(rest, id.prefix); error.reason != TextReason::none) return error;
    Wide number = 0;
    TextError error = parse_wide_base32(typeid_digits, rest, number);
    if (error.reason != TextReason::none) return {error.reason, text.size() - rest.size() + error.position};
    store_wide(number, id.value.octets);
    return {TextReason::none, 0};
}

}  // namespace idgen
