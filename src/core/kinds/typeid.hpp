// TypeID: 128 bits as text that says of what type it is.
//
//      user_01h455vb4pex5vsknk084sn02q      prefix, "_", 26 digits of Crockford's Base32 in lower case
//
// The prefix has up to 63 of a-z and _, no _ at its ends; if it is empty, the "_" behind it is left out, too. The last
// "_" of the text is the separator. Reading is strict: one value has one text, and texts of one prefix sort as their
// values do, bytewise. Source: github.com/jetify-com/typeid, specification 0.3.0.
#pragma once

#include <string_view>

#include "core/kinds/uuid.hpp"
#include "core/text/digits.hpp"

namespace idgen {

constexpr std::size_t typeid_prefix_most = 63;
constexpr std::size_t typeid_most = typeid_prefix_most + 1 + 26;

struct TypeId {
    std::string_view prefix;
    Uuid value;
};

// TextReason::none, prefix_bad_character, or prefix_too_long.
TextError check_typeid_prefix(std::string_view prefix) noexcept;
// Writes a prefix and its "_", or nothing for an empty one; gives the bytes written. Requires a right prefix.
std::size_t print_typeid_prefix(std::string_view prefix, char *out) noexcept;
// Takes the prefix and its "_" off a text. The reasons of check_typeid_prefix.
TextError take_typeid_prefix(std::string_view &text, std::string_view &prefix) noexcept;

// Writes up to typeid_most bytes, without a terminating zero; gives their number. Requires a right prefix.
std::size_t print(const TypeId &id, char *out) noexcept;
// The prefix is part of the text.
TextError parse(std::string_view text, TypeId &id) noexcept;

}  // namespace idgen
