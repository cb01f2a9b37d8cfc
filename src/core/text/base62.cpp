#include "core/text/base62.hpp"

namespace idgen {
void print_base62(std::int64_t id, char *out) noexcept {
    print_digits<62, base62_size>(base62_alphabet, id, out);
}

TextError parse_base62(std::string_view text, std::int64_t &id) noexcept {
    return parse_digits<62, base62_size>(base62_digits, text, id);
}

TextError parse_padded_base62(std::string_view text, std::int64_t &id) noexcept {
    TextError error = parse_base62(text, id);
    if (error.reason == TextReason::none && text.size() < base62_size) error.reason = TextReason::too_short;
    return error;
}

}  // namespace idgen
