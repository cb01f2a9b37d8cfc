#include "core/kinds/typeid.hpp"

#include <cstring>

#include "core/require.hpp"
#include "core/text/digits.hpp"
#include "core/text/text_part.hpp"

namespace idgen {
namespace {

constexpr DigitTable digits(crockford_lower_case);
constexpr DigitPairs pairs(crockford_lower_case);
constexpr char separator = '_';
static_assert(typeid_most == typeid_prefix_most + 1 + wide_base32_size, "the longest text");

constexpr bool is_letter(char c) noexcept {
    return c >= 'a' && c <= 'z';
}

}  // namespace

TextError check_typeid_prefix(std::string_view prefix) noexcept {
    for (std::size_t i = 0; i < prefix.size(); i++) {
        bool is_inside = i > 0 && i + 1 < prefix.size();
        if (!is_letter(prefix[i]) && !(is_inside && prefix[i] == separator))
            return {TextReason::prefix_bad_character, i};
    }
    return {prefix.size() > typeid_prefix_most ? TextReason::prefix_too_long : TextReason::none, 0};
}

std::size_t print_typeid_prefix(std::string_view prefix, char *out) noexcept {
    IDGEN_REQUIRE(check_typeid_prefix(prefix).reason == TextReason::none);
    if (prefix.empty()) return 0;
    std::memcpy(out, prefix.data(), prefix.size());
    out[prefix.size()] = separator;
    return prefix.size() + 1;
}

TextError take_typeid_prefix(std::string_view &text, std::string_view &prefix) noexcept {
    std::size_t end = text.rfind(separator);
    prefix = head_of(text, end == std::string_view::npos ? 0 : end);
    if (end == std::string_view::npos) return {TextReason::none, 0};
    if (prefix.empty()) return {TextReason::prefix_bad_character, 0};
    text = tail_of(text, end + 1);
    return check_typeid_prefix(prefix);
}

std::size_t print(const TypeId &id, char *out) noexcept {
    std::size_t size = print_typeid_prefix(id.prefix, out);
    print_wide_base32(pairs, load_wide(id.value.octets), out + size);
    return size + wide_base32_size;
}

TextError parse(std::string_view text, TypeId &id) noexcept {
    std::string_view rest = text;
    if (TextError error = take_typeid_prefix(rest, id.prefix); error.reason != TextReason::none) return error;
    Wide number = 0;
    TextError error = parse_wide_base32(digits, rest, number);
    if (error.reason != TextReason::none) return {error.reason, text.size() - rest.size() + error.position};
    store_wide(number, id.value.octets);
    return {TextReason::none, 0};
}

}  // namespace idgen
