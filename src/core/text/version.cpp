#include "core/text/version.hpp"

namespace idgen {
namespace {

constexpr int most_digits = 4;

// Reads the digits from `at` on, and leaves it behind them; false if there are none or too many.
bool parse_part(std::string_view text, std::size_t &at, std::uint32_t &part) noexcept {
    int digits = 0;
    part = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && digits <= most_digits; at++, digits++)
        part = part * 10 + static_cast<std::uint32_t>(text[at] - '0');
    return digits > 0 && digits <= most_digits;
}

}  // namespace

bool parse_version(std::string_view text, Version &version) noexcept {
    std::size_t at = 0;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && (at >= text.size() || text[at++] != '.')) return false;
        if (!parse_part(text, at, version.parts[i])) return false;
    }
    return at == text.size();
}

}  // namespace idgen
