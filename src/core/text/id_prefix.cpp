#include "core/text/id_prefix.hpp"

#include <cstring>

#include "core/require.hpp"
#include "core/text/text_part.hpp"

namespace idgen {
namespace {

constexpr char separator = '_';

constexpr bool is_letter(char c) noexcept {
    return c >= 'a' && c <= 'z';
}

}  // namespace

TextError check_id_prefix(std::string_view prefix) noexcept {
    for (std::size_t i = 0; i < prefix.size(); i++) {
        bool is_inside = i > 0 && i + 1 < prefix.size();
        if (!is_letter(prefix[i]) && !(is_inside && prefix[i] == separator))
            return {TextReason::prefix_bad_character, i};
    }
    return {prefix.size() > id_prefix_most ? TextReason::prefix_too_long : TextReason::none, 0};
}

std::size_t print_id_prefix(std::string_view prefix, char *out) noexcept {
    IDGEN_REQUIRE(check_id_prefix(prefix).reason == TextReason::none);
    if (prefix.empty()) return 0;
    std::memcpy(out, prefix.data(), prefix.size());
    out[prefix.size()] = separator;
    return prefix.size() + 1;
}

TextError take_id_prefix(std::string_view &text, std::string_view &prefix) noexcept {
    std::size_t end = text.rfind(separator);
    prefix = head_of(text, end == std::string_view::npos ? 0 : end);
    if (end == std::string_view::npos) return {TextReason::none, 0};
    if (prefix.empty()) return {TextReason::prefix_bad_character, 0};
    text = tail_of(text, end + 1);
    return check_id_prefix(prefix);
}

}  // namespace idgen
