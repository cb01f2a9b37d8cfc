// Parts of a text, lists as users write them in settings, and control characters. The likes of string_view::substr
// check where they begin, and what they would throw is a symbol of libstdc++ in the module.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/require.hpp"

namespace idgen {

// The first bytes of a text. Requires that it has as many.
constexpr std::string_view head_of(std::string_view text, std::size_t size) noexcept {
    IDGEN_REQUIRE(size <= text.size());
    return {text.data(), size};
}

// A text from a byte on. Requires that it has as many before.
constexpr std::string_view tail_of(std::string_view text, std::size_t begin) noexcept {
    IDGEN_REQUIRE(begin <= text.size());
    return {text.data() + begin, text.size() - begin};
}

// Lists as users write them in settings: items between marks, blanks around them.

// The text without blanks in front and behind.
inline std::string_view trim(std::string_view text) noexcept {
    auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// Cuts `text` at the first `mark`, which goes; all of it if there is none.
inline std::string_view take_until(std::string_view &text, char mark) noexcept {
    std::size_t size = 0;
    while (size < text.size() && text[size] != mark) size++;
    std::string_view head(text.data(), size);
    text.remove_prefix(size < text.size() ? size + 1 : size);
    return head;
}

// Control characters of a text in UTF-8, by which a name could break the lines of a log or move a terminal's cursor:
// those of ASCII (below 0x20, and 0x7F), those of the upper half (U+0080 to U+009F), and the separators of lines and
// paragraphs (U+2028, U+2029). The same rule stands in SQL in registry/install/25-rules.sql.

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
