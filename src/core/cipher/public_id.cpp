#include "core/cipher/public_id.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/text_part.hpp"

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
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end && number >= 1 && number <= max_key_number;
}

TextError parse_behind_prefix(std::string_view text, PublicId &id) noexcept {
    if (text.empty()) return {TextReason::empty, 0};
    std::size_t head_size = text.size() > base62_size ? text.size() - base62_size : 0;
    std::size_t bad = find_bad_character(text, head_size);
    if (bad < text.size()) return {TextReason::bad_character, bad};
    if (head_size == 0) return {TextReason::too_short, 0};
    std::string_view head(text.data(), head_size);
    if (head[0] == '0' || !parse_key_number(head, id.key_number)) return {TextReason::bad_key_number, 0};
    TextError error = parse_base62(std::string_view(text.data() + head_size, base62_size), false, id.number);
    if (error.reason == TextReason::none && id.number < 0) error.reason = TextReason::too_large;
    return error;
}

KeysReason parse_key_bytes(std::string_view text, CipherKey &key) noexcept {
    if (text.size() % 2 != 0 || !is_key_size(text.size() / 2)) return KeysReason::bad_size;
    key.size = static_cast<std::uint32_t>(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        int high = hex_digits[text[i]], low = hex_digits[text[i + 1]];
        if (high < 0 || low < 0) return KeysReason::bad_digit;
        key.bytes[i / 2] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return KeysReason::none;
}

KeysReason parse_key(std::string_view item, CipherKey &key) noexcept {
    if (item.find(':') == std::string_view::npos) return KeysReason::no_number;
    std::string_view rest = item;
    std::string_view number = take_until(rest, ':');
    return parse_key_number(trim(number), key.number) ? parse_key_bytes(trim(rest), key) : KeysReason::bad_number;
}

}  // namespace

std::size_t print_public_id(const PublicId &id, char *out) noexcept {
    char *head = out + print_id_prefix(id.prefix, out);
    char *digits = std::to_chars(head, out + max_public_id_size - base62_size, id.key_number).ptr;
    print_base62(id.number, digits);
    return static_cast<std::size_t>(digits - out) + base62_size;
}

TextError parse_public_id(std::string_view text, PublicId &id) noexcept {
    std::string_view rest = text;
    if (TextError error = take_id_prefix(rest, id.prefix); error.reason != TextReason::none) return error;
    TextError error = parse_behind_prefix(rest, id);
    return {error.reason, text.size() - rest.size() + error.position};
}

const CipherKey *KeyRing::find(std::uint32_t number) const noexcept {
    for (std::uint32_t i = 0; i < count; i++)
        if (keys[i].number == number) return &keys[i];
    return nullptr;
}

const CipherKey *KeyRing::highest() const noexcept {
    const CipherKey *key = nullptr;
    for (std::uint32_t i = 0; i < count; i++)
        if (key == nullptr || keys[i].number > key->number) key = &keys[i];
    return key;
}

KeysError parse_keys(std::string_view text, KeyRing &ring) noexcept {
    ring.count = 0;
    std::string_view rest = trim(text);
    if (rest.empty()) return {KeysReason::none, 0};
    auto items = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), ',')) + 1;
    for (std::uint32_t i = 0; i < items; i++) {
        if (i == max_keys) return {KeysReason::too_many, i + 1};
        CipherKey &key = ring.keys[i];
        KeysReason reason = parse_key(trim(take_until(rest, ',')), key);
        if (reason == KeysReason::none && ring.find(key.number) != nullptr) reason = KeysReason::repeated_number;
        if (reason != KeysReason::none) return {reason, i + 1};
        ring.count++;
    }
    return {KeysReason::none, 0};
}

}  // namespace idgen
