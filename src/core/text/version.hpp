// The version of a release as its files are named: three numbers with dots between, 1.2.3, compared from the left.
#pragma once

#include <cstdint>
#include <string_view>

namespace idgen {

struct Version {
    std::uint32_t parts[3];
};

// False if the text is not such a version; a number has at most four digits.
bool parse_version(std::string_view text, Version &version) noexcept;

constexpr bool operator<(const Version &a, const Version &b) noexcept {
    for (int i = 0; i < 2; i++)
        if (a.parts[i] != b.parts[i]) return a.parts[i] < b.parts[i];
    return a.parts[2] < b.parts[2];
}

}  // namespace idgen
