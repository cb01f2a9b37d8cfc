#include "kinds/core/time_prefixed.hpp"

#include "core/text/digits.hpp"

namespace idgen {

namespace {

constexpr DigitTable ulid_digits = lenient_digits(crockford_alphabet);
constexpr DigitPairs ulid_pairs(crockford_alphabet);

}  // namespace

void print(const Ulid &ulid, char *out) noexcept {
    print_wide_base32(ulid_pairs, load_wide(ulid.bytes), out);
}

TextError parse(std::string_view text, Ulid &ulid) noexcept {
    Wide number = 0;
    TextError error = parse_wide_base32(ulid_digits, text, number);
    if (error.reason == TextReason::none) store_wide(number, ulid.bytes);
    return error;
}

bool step_up(Ulid &last, std::int64_t now_ms, const std::uint8_t (&random)[Ulid::tail_size]) noexcept {
    if (now_ms > time_of(last)) {
        last = composed<Ulid>(now_ms, random);
        return true;
    }
    Ulid next = last;
    if (!increment(next.tail(), Ulid::tail_size)) return false;
    last = next;
    return true;
}

namespace {

// 160 bits as words of 32, the highest first; digits go in and out five at a time, since 62^5 < 2^32.
constexpr std::size_t words = Ksuid::size / 4;
constexpr std::uint32_t base = 62;
constexpr std::uint32_t five_digits = base * base * base * base * base;
constexpr std::size_t chunk = 5;

void load(const Ksuid &ksuid, std::uint32_t *number) noexcept {
    for (std::size_t i = 0; i < words; i++) number[i] = load_big_endian<std::uint32_t>(&ksuid.bytes[4 * i]);
}

void store(const std::uint32_t *number, Ksuid &ksuid) noexcept {
    for (std::size_t i = 0; i < words; i++) store_big_endian(number[i], &ksuid.bytes[4 * i]);
}

// Divides by 62^5; gives the remainder.
std::uint32_t divide(std::uint32_t *number) noexcept {
    std::uint64_t rest = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < words; i++) {
        std::uint64_t part = rest << 32 | number[i];
        number[i] = static_cast<std::uint32_t>(part / five_digits);
        rest = part % five_digits;
    }
    return static_cast<std::uint32_t>(rest);
}

// Multiplies and adds; false if the number does not fit any more.
bool multiply_add(std::uint32_t *number, std::uint32_t by, std::uint32_t plus) noexcept {
    std::uint64_t carry = plus;
#pragma GCC unroll 8
    for (std::size_t i = words; i-- > 0;) {
        std::uint64_t part = std::uint64_t{number[i]} * by + carry;
        number[i] = static_cast<std::uint32_t>(part);
        carry = part >> 32;
    }
    return carry == 0;
}

}  // namespace

void print(const Ksuid &ksuid, char *out) noexcept {
    std::uint32_t number[words];
    load(ksuid, number);
    for (std::size_t end = Ksuid::text_size; end > 0;) {
        std::uint32_t rest = divide(number);
        std::size_t begin = end > chunk ? end - chunk : 0;
        for (; end > begin; rest /= base) out[--end] = base62_alphabet[rest % base];
    }
}

TextError parse(std::string_view text, Ksuid &ksuid) noexcept {
    if (TextError error = expect_digits(base62_digits, text, Ksuid::text_size); error.reason != TextReason::none)
        return error;
    std::uint32_t number[words] = {};
    bool fits = true;
    // The first chunk takes the odd digits, so that all others are whole.
    for (std::size_t i = 0, end = Ksuid::text_size % chunk; i < text.size(); end += chunk) {
        std::uint32_t value = 0;
        for (; i < end; i++) value = value * base + static_cast<std::uint32_t>(base62_digits[text[i]]);
        fits &= multiply_add(number, five_digits, value);
    }
    if (!fits) return {TextReason::too_large, 0};
    store(number, ksuid);
    return {TextReason::none, 0};
}

namespace {

constexpr std::size_t counter_size = 3;

}  // namespace

void print(const ObjectId &id, char *out) noexcept {
    for (std::uint8_t byte : id.bytes) {
        *out++ = hex_alphabet[byte >> 4];
        *out++ = hex_alphabet[byte & 15];
    }
}

TextError parse(std::string_view text, ObjectId &id) noexcept {
    if (TextError error = expect_digits(hex_digits, text, ObjectId::text_size); error.reason != TextReason::none)
        return error;
    for (std::size_t i = 0; i < ObjectId::size; i++)
        id.bytes[i] = static_cast<std::uint8_t>(hex_digits[text[2 * i]] << 4 | hex_digits[text[2 * i + 1]]);
    return {TextReason::none, 0};
}

bool next_object_id(ObjectIdSource &source, std::int64_t now_ms, ObjectId &id) noexcept {
    id = composed<ObjectId>(now_ms, source.tail);
    auto second = load_big_endian<std::uint32_t>(id.bytes);
    if (second < source.second) return false;
    if (second > source.second) source.count = 0;
    source.second = second;
    increment(source.tail + ObjectId::tail_size - counter_size, counter_size);
    return source.count++ < 1U << 8 * counter_size;
}

}  // namespace idgen
