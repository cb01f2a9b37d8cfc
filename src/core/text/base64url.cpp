#include "core/text/base64url.hpp"

#include <cstring>

namespace idgen {
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

TextError parse_base64url(std::string_view text, std::int64_t &id) noexcept {
    return parse_digits<64, base64url_size>(table, text, id);
}

}  // namespace idgen
