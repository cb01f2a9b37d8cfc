// Numbers as bytes, the highest first, wherever they lie.
#pragma once

#include <cstdint>
#include <cstring>

namespace idgen {

inline std::uint32_t swap_bytes(std::uint32_t number) noexcept {
    return __builtin_bswap32(number);
}
inline std::uint64_t swap_bytes(std::uint64_t number) noexcept {
    return __builtin_bswap64(number);
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "x86-64 and arm64");

template <class Number>
Number load_big_endian(const std::uint8_t *bytes) noexcept {
    Number number;
    std::memcpy(&number, bytes, sizeof(number));
    return swap_bytes(number);
}

template <class Number>
void store_big_endian(Number number, std::uint8_t *bytes) noexcept {
    number = swap_bytes(number);
    std::memcpy(bytes, &number, sizeof(number));
}

}  // namespace idgen
