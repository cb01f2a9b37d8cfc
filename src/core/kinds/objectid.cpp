#include "core/kinds/objectid.hpp"

namespace idgen {
namespace {

constexpr std::string_view alphabet = "0123456789abcdef";
constexpr std::size_t counter_size = 3;

constexpr DigitTable hexadecimal() noexcept {
    DigitTable table(alphabet);
    for (int i = 10; i < 16; i++) table.set(static_cast<char>('A' + i - 10), i);
    return table;
}
constexpr DigitTable digits = hexadecimal();

}  // namespace

void print(const ObjectId &id, char *out) noexcept {
    for (std::uint8_t byte : id.bytes) {
        *out++ = alphabet[byte >> 4];
        *out++ = alphabet[byte & 15];
    }
}

TextError parse(std::string_view text, ObjectId &id) noexcept {
    if (TextError error = expect_digits(digits, text, ObjectId::text_size); error.reason != TextReason::none)
        return error;
    for (std::size_t i = 0; i < ObjectId::size; i++)
        id.bytes[i] = static_cast<std::uint8_t>(digits[text[2 * i]] << 4 | digits[text[2 * i + 1]]);
    return {TextReason::none, 0};
}

ObjectId next_object_id(ObjectIdSource &source, std::int64_t now_ms) noexcept {
    auto id = composed<ObjectId>(now_ms, source.tail);
    increment(source.tail + ObjectId::tail_size - counter_size, counter_size);
    return id;
}

}  // namespace idgen
