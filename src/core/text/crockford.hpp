// Douglas Crockford's Base32: the digits, how they are read, and 128 bits as 26 of them, the first at most 7.
// ULID and TypeID are such texts; they differ in case and in how strictly they are read. Source:
// crockford.com/base32.html
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/text/big_endian.hpp"
#include "core/text/digits.hpp"

namespace idgen {

constexpr std::string_view crockford_alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view crockford_lower_case = "0123456789abcdefghjkmnpqrstvwxyz";

// Symbols in either case, and what looks like a 0 or a 1.
constexpr DigitTable lenient_digits(std::string_view symbols) noexcept {
    DigitTable table(symbols);
    for (std::size_t i = 0; i < symbols.size(); i++)
        if (symbols[i] >= 'A' && symbols[i] <= 'Z')
            table.set(static_cast<char>(symbols[i] - 'A' + 'a'), static_cast<int>(i));
    for (char like_zero : {'o', 'O'}) table.set(like_zero, 0);
    for (char like_one : {'i', 'I', 'l', 'L'}) table.set(like_one, 1);
    return table;
}

using Wide = unsigned __int128;
constexpr std::size_t wide_base32_size = 26;

// 16 bytes, big-endian, as a number and back.
inline Wide load_wide(const std::uint8_t *bytes) noexcept {
    return Wide{load_big_endian<std::uint64_t>(bytes)} << 64 | load_big_endian<std::uint64_t>(bytes + 8);
}
inline void store_wide(Wide number, std::uint8_t *bytes) noexcept {
    store_big_endian(static_cast<std::uint64_t>(number >> 64), bytes);
    store_big_endian(static_cast<std::uint64_t>(number), bytes + 8);
}

// The digits stand in two words of twelve, and two in front.
constexpr std::size_t word_digits = 12;
constexpr std::size_t front_digits = wide_base32_size - 2 * word_digits;
constexpr std::uint64_t word_mask = (std::uint64_t{1} << 5 * word_digits) - 1;

// Ten bits as two digits, looked up at once.
class DigitPairs {
   public:
    constexpr explicit DigitPairs(std::string_view alphabet) noexcept : pairs_() {
        for (std::size_t i = 0; i < count; i++) {
            pairs_[i][0] = alphabet[i >> 5];
            pairs_[i][1] = alphabet[i & 31];
        }
    }
    // Writes the last 2 * `pairs` digits of a word.
    template <std::size_t pairs>
    void print(std::uint64_t word, char *out) const noexcept {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < pairs; i++)
            std::memcpy(out + 2 * i, pairs_[(word >> 10 * (pairs - 1 - i)) % count], 2);
    }

   private:
    static constexpr std::size_t count = 1024;
    char pairs_[count][2];
};

// Writes wide_base32_size digits, zeros in front.
inline void print_wide_base32(const DigitPairs &pairs, Wide number, char *out) noexcept {
    pairs.print<1>(static_cast<std::uint64_t>(number >> 10 * word_digits), out);
    pairs.print<6>(static_cast<std::uint64_t>(number >> 5 * word_digits), out + front_digits);
    pairs.print<6>(static_cast<std::uint64_t>(number), out + front_digits + word_digits);
}

// Reads `count` digits; bits of `all` above those of a digit tell of one that is none.
template <std::size_t count>
std::uint64_t read_base32_word(const DigitTable &digits, const char *text, std::uint8_t &all) noexcept {
    std::uint64_t word = 0;
#pragma GCC unroll 12
    for (std::size_t i = 0; i < count; i++) {
        auto digit = static_cast<std::uint8_t>(digits[text[i]]);
        all |= digit;
        word |= std::uint64_t{digit} << 5 * (count - 1 - i);
    }
    return word;
}

// Reads exactly wide_base32_size digits.
inline TextError parse_wide_base32(const DigitTable &digits, std::string_view text, Wide &number) noexcept {
    if (text.size() != wide_base32_size) return expect_digits(digits, text, wide_base32_size);
    std::uint8_t all = 0;
    std::uint64_t front = read_base32_word<front_digits>(digits, text.data(), all);
    std::uint64_t middle = read_base32_word<word_digits>(digits, text.data() + front_digits, all);
    std::uint64_t low = read_base32_word<word_digits>(digits, text.data() + front_digits + word_digits, all);
    if (all > 31) return expect_digits(digits, text, wide_base32_size);
    if (front > 0xFF) return {TextReason::too_large, 0};
    number = Wide{front} << 10 * word_digits | Wide{middle} << 5 * word_digits | low;
    return {TextReason::none, 0};
}

}  // namespace idgen
