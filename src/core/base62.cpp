#include "core/base62.hpp"

namespace idgen {
namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr DigitTable table(alphabet);
static_assert(alphabet.size() == 62 && table['0'] == 0 && table['A'] == 10 && table['a'] == 36,
              "the digits are on disk");

}  // namespace

void print_base62(std::int64_t id, char *out) noexcept {
    print_digits<62, base62_size>(alphabet, id, out);
}

TextError parse_base62(std::string_view text, std::int64_t &id) noexcept {
    return parse_digits<62, base62_size>(table, text, id);
}

TextError parse_padded_base62(std::string_view text, std::int64_t &id) noexcept {
    TextError error = parse_base62(text, id);
    if (error.reason == Reason::none && text.size() < base62_size) error.reason = Reason::text_too_short;
    return error;
}

}  // namespace idgen
