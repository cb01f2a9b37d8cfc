// Control characters of a text in UTF-8, by which a name could break the lines of a log or move a terminal's cursor:
// those of ASCII (below 0x20, and 0x7F), those of the upper half (U+0080 to U+009F), and the separators of lines and
// paragraphs (U+2028, U+2029). The same rule stands in SQL in registry/install/25-rules.sql.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/text/text_part.hpp"

namespace idgen {

// The bytes of the control character that a text begins with; 0 if it does not begin with one.
constexpr std::size_t control_size(std::string_view utf8) noexcept {
    auto byte = [utf8](std::size_t i) { return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0xFFU; };
    if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
    return byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0;
}

constexpr bool has_control(std::string_view utf8) noexcept {
    for (std::size_t i = 0; i < utf8.size(); i++)
        if (control_size(tail_of(utf8, i)) != 0) return true;
    return false;
}

}  // namespace idgen
