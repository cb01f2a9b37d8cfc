#include "core/text/digits.hpp"

#include <cstring>

namespace idgen {

void print_base62(std::int64_t id, char *out) noexcept {
    print_digits<62, base62_size>(base62_alphabet, id, out);
}

TextError parse_base62(std::string_view text, bool may_be_short, std::int64_t &id) noexcept {
    return parse_digits<62, base62_size>(base62_digits, text, may_be_short, id);
}

namespace {

constexpr std::string_view symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U";

constexpr DigitTable digits = lenient_digits(crockford_alphabet);
constexpr DigitTable check_digits = lenient_digits(symbols);
static_assert(symbols.size() == 37 && symbols.substr(0, 32) == crockford_alphabet && digits['U'] < 0 &&
                  check_digits['u'] == 36 && digits['z'] == 31,
              "the digits are on disk");

constexpr int check_of(std::int64_t id) noexcept {
    return static_cast<int>(static_cast<std::uint64_t>(id) % 37);
}

}  // namespace

void print_base32(std::int64_t id, char *out) noexcept {
    print_digits<32, base32_size>(crockford_alphabet, id, out);
}

char base32_check(std::int64_t id) noexcept {
    return symbols[static_cast<std::size_t>(check_of(id))];
}

TextError parse_base32(std::string_view text, bool has_check, bool may_be_short, std::int64_t &id) noexcept {
    std::size_t check_at = has_check ? text.find_last_not_of('-') : std::string_view::npos;
    DigitReader<32, base32_size> reader;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '-' || i == check_at) continue;
        int digit = digits[text[i]];
        if (digit < 0) return {TextReason::bad_character, i};
        reader.add(digit);
    }
    // Before the number as a whole, so that the first wrong character is always the one that is named.
    int check = check_at < text.size() ? check_digits[text[check_at]] : 0;
    if (check < 0) return {TextReason::bad_character, check_at};
    TextReason reason = reader.finish(may_be_short, id);
    if (reason != TextReason::none || !has_check || check == check_of(id)) return {reason, 0};
    return {TextReason::wrong_check, check_at};
}

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr DigitTable table(alphabet);
static_assert(alphabet.size() == 64 && table['A'] == 0 && table['a'] == 26 && table['0'] == 52 && table['_'] == 63,
              "the digits are on disk");

}  // namespace

std::size_t print_base64url(std::int64_t id, char *out) noexcept {
    char digits[base64url_size];
    print_digits<64, base64url_size>(alphabet, id, digits);
    std::size_t zeros = 0;
    while (zeros < base64url_size - 1 && digits[zeros] == alphabet[0]) zeros++;
    std::memcpy(out, digits + zeros, base64url_size - zeros);
    return base64url_size - zeros;
}

TextError parse_base64url(std::string_view text, bool may_be_short, std::int64_t &id) noexcept {
    return parse_digits<64, base64url_size>(table, text, may_be_short, id);
}

}  // namespace idgen
