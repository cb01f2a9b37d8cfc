// Values of a fixed size that begin with their time: what ULID, KSUID and ObjectId share.
//
//      | time, big-endian, ticks since first_ms | tail: random bytes, a counter |
//
// Big-endian, so that bytewise order is the order of the values, and of their times. A Format says the sizes
// and the tick; times are unix ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/text/big_endian.hpp"

namespace idgen {

// Never change the bytes: on disk, in columns of the types.
template <class Format>
struct TimePrefixed {
    std::uint8_t bytes[Format::size];

    static constexpr std::size_t size = Format::size;
    static constexpr std::size_t time_size = Format::time_size;
    static constexpr std::size_t tail_size = size - time_size;
    static constexpr std::size_t text_size = Format::text_size;
    static constexpr std::int64_t first_ms = Format::first_ms;
    static constexpr std::int64_t unit_ms = Format::unit_ms;
    static constexpr std::int64_t last_tick = (std::int64_t{1} << 8 * time_size) - 1;
    // The start of the last tick.
    static constexpr std::int64_t last_ms = first_ms + last_tick * unit_ms;

    static constexpr bool holds(std::int64_t unix_ms) noexcept {
        return unix_ms >= first_ms && unix_ms < last_ms + unit_ms;
    }
    std::uint8_t *tail() noexcept { return bytes + time_size; }
    const std::uint8_t *tail() const noexcept { return bytes + time_size; }
};

template <class Format>
int compare(const TimePrefixed<Format> &a, const TimePrefixed<Format> &b) noexcept {
    return std::memcmp(a.bytes, b.bytes, Format::size);
}

// The first eight bytes as a number, in the same order: what sorting compares first.
template <class Format>
std::uint64_t prefix_of(const TimePrefixed<Format> &value) noexcept {
    return load_big_endian<std::uint64_t>(value.bytes);
}

// The start of the value's tick, unix ms.
template <class Format>
std::int64_t time_of(const TimePrefixed<Format> &value) noexcept {
    auto tick = static_cast<std::int64_t>(prefix_of(value) >> (64 - 8 * Format::time_size));
    return Format::first_ms + tick * Format::unit_ms;
}

// Sets the time. Requires that the format holds it.
template <class Format>
void stamp(TimePrefixed<Format> &value, std::int64_t unix_ms) noexcept {
    auto tick = static_cast<std::uint64_t>((unix_ms - Format::first_ms) / Format::unit_ms);
    for (std::size_t i = Format::time_size; i-- > 0; tick >>= 8) value.bytes[i] = static_cast<std::uint8_t>(tick);
}

// The value of that time whose tail is one byte all over: 0 gives the smallest, 0xFF the largest.
template <class Value>
Value filled(std::int64_t unix_ms, std::uint8_t byte) noexcept {
    Value value;
    stamp(value, unix_ms);
    std::memset(value.tail(), byte, Value::tail_size);
    return value;
}

// The value of that time with a tail of Value::tail_size bytes.
template <class Value>
Value composed(std::int64_t unix_ms, const void *tail) noexcept {
    Value value;
    stamp(value, unix_ms);
    std::memcpy(value.tail(), tail, Value::tail_size);
    return value;
}

// Adds 1 to a big-endian number; false where it was the largest, and is 0 now.
inline bool increment(std::uint8_t *bytes, std::size_t size) noexcept {
    while (size-- > 0)
        if (++bytes[size] != 0) return true;
    return false;
}

}  // namespace idgen
