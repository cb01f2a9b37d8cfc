#include "core/kinds/ulid.hpp"

#include "core/text/crockford.hpp"

namespace idgen {
namespace {

constexpr DigitTable digits = lenient_digits(crockford_alphabet);

constexpr DigitPairs pairs(crockford_alphabet);

}  // namespace

void print(const Ulid &ulid, char *out) noexcept {
    print_wide_base32(pairs, load_wide(ulid.bytes), out);
}

TextError parse(std::string_view text, Ulid &ulid) noexcept {
    Wide number = 0;
    TextError error = parse_wide_base32(digits, text, number);
    if (error.reason == TextReason::none) store_wide(number, ulid.bytes);
    return error;
}

bool advance(Ulid &last, std::int64_t now_ms, const std::uint8_t (&random)[Ulid::tail_size]) noexcept {
    if (now_ms > time_of(last)) {
        last = composed<Ulid>(now_ms, random);
        return true;
    }
    Ulid next = last;
    if (!increment(next.tail(), Ulid::tail_size)) return false;
    last = next;
    return true;
}

}  // namespace idgen
