#include "kinds/core/typeid.hpp"

#include "core/text/digits.hpp"

namespace idgen {
namespace {

constexpr DigitTable digits(crockford_lower_case);
constexpr DigitPairs pairs(crockford_lower_case);
static_assert(typeid_most == id_prefix_most + 1 + wide_base32_size, "the longest text");

}  // namespace

std::size_t print(const TypeId &id, char *out) noexcept {
    std::size_t size = print_id_prefix(id.prefix, out);
    print_wide_base32(pairs, load_wide(id.value.octets), out + size);
    return size + wide_base32_size;
}

TextError parse(std::string_view text, TypeId &id) noexcept {
    std::string_view rest = text;
    if (TextError error = take_id_prefix(rest, id.prefix); error.reason != TextReason::none) return error;
    Wide number = 0;
    TextError error = parse_wide_base32(digits, rest, number);
    if (error.reason != TextReason::none) return {error.reason, text.size() - rest.size() + error.position};
    store_wide(number, id.value.octets);
    return {TextReason::none, 0};
}

}  // namespace idgen
