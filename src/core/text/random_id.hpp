// A random identifier of 128 bits that distinguishes one thing from another of its kind: a boot of a kernel, a
// registry. Its text is that of a UUID.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/text/digits.hpp"

namespace idgen {

// Never change: on disk. All zero: not known.
struct RandomId {
    std::uint64_t high;
    std::uint64_t low;
};

constexpr bool operator==(const RandomId &a, const RandomId &b) noexcept {
    return a.high == b.high && a.low == b.low;
}

constexpr bool is_known(const RandomId &id) noexcept {
    return (id.high | id.low) != 0;
}

// Reads 32 hexadecimal digits, with or without hyphens, up to a line break. Not known if the text is anything else.
constexpr RandomId parse_random_id(std::string_view text) noexcept {
    RandomId id{0, 0};
    int digits = 0;
    for (char c : text) {
        if (c == '-') continue;
        int value = hex_digits[c];
        if (value < 0) break;
        id.high = id.high << 4 | id.low >> 60;
        id.low = id.low << 4 | static_cast<std::uint64_t>(value);
        digits++;
    }
    return digits == 32 ? id : RandomId{0, 0};
}

}  // namespace idgen
