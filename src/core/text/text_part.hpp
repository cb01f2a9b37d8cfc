// Parts of a text, and lists as users write them in settings. The likes of string_view::substr check where they begin,
// and what they would throw is a symbol of libstdc++ in the module.
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

}  // namespace idgen
