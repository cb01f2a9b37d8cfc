// The prefix of a text that says of what type an ID is, as TypeIDs and public IDs have it:
//
//      user_01h455vb4pex5vsknk084sn02q      prefix, "_", the ID
//
// The prefix has up to 63 of a-z and _, no _ at its ends; if it is empty, the "_" behind it is left out, too. The last
// "_" of the text is the separator. Source: github.com/jetify-com/typeid, specification 0.3.0.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/text/digits.hpp"

namespace idgen {

constexpr std::size_t id_prefix_most = 63;

// TextReason::none, prefix_bad_character, or prefix_too_long.
TextError check_id_prefix(std::string_view prefix) noexcept;
// Writes a prefix and its "_", or nothing for an empty one; gives the bytes written. Requires a right prefix.
std::size_t print_id_prefix(std::string_view prefix, char *out) noexcept;
// Takes the prefix and its "_" off a text. The reasons of check_id_prefix.
TextError take_id_prefix(std::string_view &text, std::string_view &prefix) noexcept;

}  // namespace idgen
