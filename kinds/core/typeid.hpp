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

constexpr std::size_t typeid_most = id_prefix_most + 1 + 26;

struct TypeId {
    std::string_view prefix;
    Uuid value;
};

// Writes up to typeid_most bytes, without a terminating zero; gives their number. Requires a right prefix.
std::size_t print(const TypeId &id, char *out) noexcept;
// The prefix is part of the text.
TextError parse(std::string_view text, TypeId &id) noexcept;

}  // namespace idgen
