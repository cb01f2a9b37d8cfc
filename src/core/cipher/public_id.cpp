#include "core/cipher/public_id.hpp"

#include <charconv>

#include "core/cipher/key_ring.hpp"

namespace idgen {

namespace {

// The first byte that cannot stand where it does; text.size() if there is none.
std::size_t find_bad_character(std::string_view text, std::size_t head_size) noexcept {
    for (std::size_t i = 0; i < text.size(); i++) {
        int digit = base62_digits[text[i]];
        if (digit < 0 || (i < head_size && digit > 9)) return i;
    }
    return text.size();
}

bool parse_key_number(std::string_view text, std::uint32_t &number) noexcept {
    auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
    return error == std::errc() && text[0] != '0' && number <= max_key_number;
}

}  // namespace

std::size_t print_public_id(const PublicId &id, char *out) noexcept {
    char *head = out + print_id_prefix(id.prefix, out);
    char *digits = std::to_chars(head, out + max_public_id_size - base62_size, id.key_number).ptr;
    print_base62(id.number, digits);
    return static_cast<std::size_t>(digits - out) + base62_size;
}

namespace {

TextError parse_behind_prefix(std::string_view text, PublicId &id) noexcept {
    if (text.empty()) return {TextReason::empty, 0};
    std::size_t head_size = text.size() > base62_size ? text.size() - base62_size : 0;
    std::size_t bad = find_bad_character(text, head_size);
    if (bad < text.size()) return {TextReason::bad_character, bad};
    if (head_size == 0) return {TextReason::too_short, 0};
    std::string_view head(text.data(), head_size);
    if (!parse_key_number(head, id.key_number)) return {TextReason::bad_key_number, 0};
    TextError error = parse_base62(std::string_view(text.data() + head_size, base62_size), false, id.number);
    if (error.reason == TextReason::none && id.number < 0) error.reason = TextReason::too_large;
    return error;
}

}  // namespace

TextError parse_public_id(std::string_view text, PublicId &id) noexcept {
    std::string_view rest = text;
    if (TextError error = take_id_prefix(rest, id.prefix); error.reason != TextReason::none) return error;
    TextError error = parse_behind_prefix(rest, id);
    return {error.reason, text.size() - rest.size() + error.position};
}

}  // namespace idgen
