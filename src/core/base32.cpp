#include "core/base32.hpp"

namespace idgen {
namespace {

constexpr std::string_view symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U";
constexpr std::string_view alphabet = symbols.substr(0, 32);

// What is read as a symbol of the alphabet: itself, in either case, and what looks like it.
constexpr DigitTable reading_table(std::string_view read) noexcept {
    DigitTable table(read);
    for (std::size_t i = 0; i < read.size(); i++)
        if (read[i] >= 'A' && read[i] <= 'Z')
            table.set(static_cast<char>(read[i] - 'A' + 'a'), static_cast<int>(i));
    for (char like_zero : {'o', 'O'}) table.set(like_zero, 0);
    for (char like_one : {'i', 'I', 'l', 'L'}) table.set(like_one, 1);
    return table;
}

constexpr DigitTable digits = reading_table(alphabet);
constexpr DigitTable check_digits = reading_table(symbols);
static_assert(symbols.size() == 37 && digits['U'] < 0 && check_digits['u'] == 36 && digits['z'] == 31,
              "the digits are on disk");

constexpr int check_of(std::int64_t id) noexcept {
    return static_cast<int>(static_cast<std::uint64_t>(id) % 37);
}

}  // namespace

void print_base32(std::int64_t id, char *out) noexcept {
    print_digits<32, base32_size>(alphabet, id, out);
}

char base32_check(std::int64_t id) noexcept {
    return symbols[static_cast<std::size_t>(check_of(id))];
}

TextError parse_base32(std::string_view text, bool has_check, std::int64_t &id) noexcept {
    std::size_t check_at = has_check ? text.find_last_not_of('-') : std::string_view::npos;
    DigitReader<32, base32_size> reader;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '-' || i == check_at) continue;
        int digit = digits[text[i]];
        if (digit < 0) return {Reason::text_bad_character, i};
        reader.add(digit);
    }
    // Before the number as a whole, so that the first wrong character is always the one that is named.
    int check = check_at < text.size() ? check_digits[text[check_at]] : 0;
    if (check < 0) return {Reason::text_bad_character, check_at};
    Reason reason = reader.finish(id);
    if (reason != Reason::none || !has_check || check == check_of(id)) return {reason, 0};
    return {Reason::text_wrong_check, check_at};
}

}  // namespace idgen
