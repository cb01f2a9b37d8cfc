// The version of a release as its files are named: three numbers with dots between, 1.2.3, compared from the left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

struct Version {
    std::uint32_t parts[3];
};

constexpr int most_version_digits = 4;

// Reads the digits from `at` on, and leaves it behind them; false if there are none or too many.
inline bool parse_version_part(std::string_view text, std::size_t &at, std::uint32_t &part) noexcept {
    int digits = 0;
    part = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && digits <= most_version_digits; at++, digits++)
        part = part * 10 + static_cast<std::uint32_t>(text[at] - '0');
    return digits > 0 && digits <= most_version_digits;
}

// False if the text is not such a version.
inline bool parse_version(std::string_view text, Version &version) noexcept {
    std::size_t at = 0;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && (at >= text.size() || text[at++] != '.')) return false;
        if (!parse_version_part(text, at, version.parts[i])) return false;
    }
    return at == text.size();
}

constexpr bool operator<(const Version &a, const Version &b) noexcept {
    for (int i = 0; i < 2; i++)
        if (a.parts[i] != b.parts[i]) return a.parts[i] < b.parts[i];
    return a.parts[2] < b.parts[2];
}

}  // namespace idgen
