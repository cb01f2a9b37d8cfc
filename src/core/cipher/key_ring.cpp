#include "core/cipher/key_ring.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/digits.hpp"
#include "core/text/text_part.hpp"

namespace idgen {
namespace {

KeysReason parse_key_number(std::string_view text, std::uint32_t &number) noexcept {
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number);
    bool is_number = error == std::errc() && stop == end && number >= 1 && number <= max_key_number;
    return is_number ? KeysReason::none : KeysReason::bad_number;
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
    if (KeysReason reason = parse_key_number(trim(number), key.number); reason != KeysReason::none) return reason;
    return parse_key_bytes(trim(rest), key);
}

}  // namespace

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
