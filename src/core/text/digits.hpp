// Numbers of 64 bits as digits of an alphabet, the highest digit first: what base62, base32 and base64url
// share. A bigint stands here for its 64 bits, an unsigned number. IDs are positive and stay what they are; a
// negative number, which no layout makes, has a form beyond all IDs, so that whatever a bigint holds comes
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

// Why a text is no such value.
enum class TextReason : std::uint8_t {
    none,
    empty,
    bad_character,
    too_long,
    too_short,
    too_large,
    wrong_check,           // Base32 with its check symbol
    prefix_bad_character,  // TypeIDs
    prefix_too_long,       //
    bad_key_number,        // public IDs
};

// Why a text is no number, and where: the offset of the byte with which the wrong character begins.
// Every byte before it was a digit, so it counts the characters before it, too.
struct TextError {
    TextReason reason;
    std::size_t position;
};

// What each byte is worth as a digit.
class DigitTable {
   public:
    constexpr explicit DigitTable(std::string_view alphabet) noexcept : digits_() {
        for (std::int8_t &digit : digits_) digit = none;
        for (std::size_t i = 0; i < alphabet.size(); i++) set(alphabet[i], static_cast<int>(i));
    }
    constexpr void set(char symbol, int digit) noexcept {
        digits_[static_cast<unsigned char>(symbol)] = static_cast<std::int8_t>(digit);
    }
    // Negative for a byte that is no digit.
    constexpr int operator[](char symbol) const noexcept { return digits_[static_cast<unsigned char>(symbol)]; }

   private:
    static constexpr std::int8_t none = -1;
    std::int8_t digits_[256];
};

// Why a text is not `size` digits; TextReason::none where it is.
inline TextError expect_digits(const DigitTable &table, std::string_view text, std::size_t size) noexcept {
    for (std::size_t i = 0; i < text.size(); i++)
        if (table[text[i]] < 0) return {TextReason::bad_character, i};
    if (text.empty()) return {TextReason::empty, 0};
    if (text.size() < size) return {TextReason::too_short, 0};
    return {text.size() > size ? TextReason::too_long : TextReason::none, 0};
}

// A number while its digits are read. 64 bits have at most `most` digits.
template <unsigned base, unsigned most>
class DigitReader {
   public:
    void add(int digit) noexcept {
        count_++;
        overflows_ |= __builtin_mul_overflow(value_, std::uint64_t{base}, &value_);
        overflows_ |= __builtin_add_overflow(value_, static_cast<std::uint64_t>(digit), &value_);
    }

    // The number, once all digits are read; or why there is none.
    TextReason finish(std::int64_t &id) const noexcept {
        if (count_ == 0) return TextReason::empty;
        if (count_ > most) return TextReason::too_long;
        if (overflows_) return TextReason::too_large;
        id = static_cast<std::int64_t>(value_);
        return TextReason::none;
    }

   private:
    std::uint64_t value_ = 0;
    std::size_t count_ = 0;
    bool overflows_ = false;
};

// Reads a text that has nothing but digits.
template <unsigned base, unsigned most>
TextError parse_digits(const DigitTable &table, std::string_view text, std::int64_t &id) noexcept {
    DigitReader<base, most> reader;
    for (std::size_t i = 0; i < text.size(); i++) {
        int digit = table[text[i]];
        if (digit < 0) return {TextReason::bad_character, i};
        reader.add(digit);
    }
    return {reader.finish(id), 0};
}

// Writes `count` digits, zeros in front.
template <unsigned base, unsigned count>
void print_digits(std::string_view alphabet, std::int64_t id, char *out) noexcept {
    auto value = static_cast<std::uint64_t>(id);
    for (unsigned i = count; i-- > 0; value /= base) out[i] = alphabet[value % base];
}

}  // namespace idgen
