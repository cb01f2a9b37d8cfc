// Numbers of 64 bits as digits of an alphabet, the highest digit first: what base62, base32 and base64url share. A
// bigint stands here for its 64 bits, an unsigned number. IDs are positive and stay what they are; a negative number,
// which no layout makes, has a form beyond all IDs, so that whatever a bigint holds comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/text/big_endian.hpp"

namespace idgen {

// Why a text is not such a value.
enum class TextReason : std::uint8_t {
    none,
    empty,
    bad_character,
    too_long,
    too_short,
    too_large,
    wrong_check,           // Base32 with its check symbol
    prefix_bad_character,  // TypeIDs and public IDs
    prefix_too_long,       //
    bad_key_number,        // public IDs
};

// Why a text is not a number, and where: the offset of the byte with which the wrong character begins. Every byte
// before it was a digit or of a right prefix, so it counts the characters before it, too.
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
    // Negative for a byte that is not a digit.
    constexpr int operator[](char symbol) const noexcept { return digits_[static_cast<unsigned char>(symbol)]; }

   private:
    static constexpr std::int8_t none = -1;
    std::int8_t digits_[256];
};

// Why a text is not `size` digits; TextReason::none if it is.
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

    // The number, once all digits are read; or why there is none. Of fewer than `most` one may be missing: they are a
    // number only if zeros in front may have been left out.
    TextReason finish(bool may_be_short, std::int64_t &id) const noexcept {
        if (count_ == 0) return TextReason::empty;
        if (count_ > most) return TextReason::too_long;
        if (overflows_) return TextReason::too_large;
        if (count_ < most && !may_be_short) return TextReason::too_short;
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
TextError parse_digits(const DigitTable &table, std::string_view text, bool may_be_short, std::int64_t &id) noexcept {
    DigitReader<base, most> reader;
    for (std::size_t i = 0; i < text.size(); i++) {
        int digit = table[text[i]];
        if (digit < 0) return {TextReason::bad_character, i};
        reader.add(digit);
    }
    return {reader.finish(may_be_short, id), 0};
}

// Writes `count` digits, zeros in front.
template <unsigned base, unsigned count>
void print_digits(std::string_view alphabet, std::int64_t id, char *out) noexcept {
    auto value = static_cast<std::uint64_t>(id);
    for (unsigned i = count; i-- > 0; value /= base) out[i] = alphabet[value % base];
}

// Hexadecimal digits, written in lower case and read in either.
constexpr std::string_view hex_alphabet = "0123456789abcdef";
inline constexpr DigitTable hex_digits = [] {
    DigitTable table(hex_alphabet);
    for (int i = 10; i < 16; i++) table.set(static_cast<char>('A' + i - 10), i);
    return table;
}();

// A 64-bit ID as 11 digits of Base62, zeros in front:
//
//      digits 0-9, A-Z, a-z, in the order of their bytes        4036565484265537613 -> 4oBVmyxvRfB
//
// Texts of equal length and an alphabet in byte order: bytewise order is the order of the numbers. Never change: on
// disk, wherever a text column holds it.

constexpr std::string_view base62_alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
inline constexpr DigitTable base62_digits(base62_alphabet);
static_assert(base62_alphabet.size() == 62 && base62_digits['0'] == 0 && base62_digits['A'] == 10 &&
                  base62_digits['a'] == 36,
              "the digits are on disk");

constexpr std::size_t base62_size = 11;

// Writes base62_size bytes, without a terminating zero.
void print_base62(std::int64_t id, char *out) noexcept;

// Reads 11 digits: what print_base62 writes, and nothing else. Reads fewer if it may be short.
TextError parse_base62(std::string_view text, bool may_be_short, std::int64_t &id) noexcept;

// A 64-bit ID as 13 digits of Douglas Crockford's Base32, zeros in front:
//
//      digits 0-9, A-Z without I, L, O, U, in the order of their bytes   4036565484265537613 -> 3G162XFD4002D
//
// For people who read an ID aloud or type it: reading takes either case, i and l as 1, o as 0, and skips hyphens. A
// check symbol may follow, the number modulo 37: one of the digits, or * ~ $ = U for 32 to 36. It finds every wrong
// digit and every two digits that changed places. Bytewise order is the order of the numbers. Never change: on disk,
// wherever a text column holds it. Source: crockford.com/base32.html

constexpr std::size_t base32_size = 13;

// Writes base32_size bytes, without a terminating zero.
void print_base32(std::int64_t id, char *out) noexcept;

// The check symbol of a number.
char base32_check(std::int64_t id) noexcept;

// Reads 13 digits, fewer if it may be short, and after them the check symbol if there is one. A wrong one is refused:
// wrong_check, and `id` is the number of the digits.
TextError parse_base32(std::string_view text, bool has_check, bool may_be_short, std::int64_t &id) noexcept;

// A 64-bit ID as digits of Base64 for addresses, as in the links of Instagram's posts (shortcodes):
//
//      digits A-Z, a-z, 0-9, -, _ for 0 to 63; no digit A in front       2574187014843321420 -> CO5WXONKMxM
//
// The digits of a number, not RFC 4648 over its bytes: 11 digits at most, 1 at least, no padding. The shortest form of
// the three; its bytewise order is not the order of the numbers. Never change: text columns hold it on disk.

constexpr std::size_t base64url_size = 11;  // of the longest

// Writes up to base64url_size bytes, without a terminating zero; returns the bytes written.
std::size_t print_base64url(std::int64_t id, char *out) noexcept;

// Reads 11 digits, as all IDs from 2^60 on have; fewer if it may be short. An A in front is a zero.
TextError parse_base64url(std::string_view text, bool may_be_short, std::int64_t &id) noexcept;

// Douglas Crockford's Base32: the digits, how they are read, and 128 bits as 26 of them, the first at most 7. ULID and
// TypeID are such texts; they differ in case and in how strictly they are read. Source: crockford.com/base32.html

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

// Reads `count` digits; bits of `all` above those of a digit show that one of them is not a digit.
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
