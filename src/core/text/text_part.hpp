// Parts of a text. The likes of string_view::substr check where they begin, and what they would throw is a
// symbol of libstdc++ in the module.
#pragma once

#include <cstddef>
#include <string_view>

namespace idgen {

// The first bytes of a text. Requires that it has as many.
constexpr std::string_view head_of(std::string_view text, std::size_t size) noexcept {
    return {text.data(), size};
}

// A text from a byte on. Requires that it has as many before.
constexpr std::string_view tail_of(std::string_view text, std::size_t begin) noexcept {
    return {text.data() + begin, text.size() - begin};
}

}  // namespace idgen
