// Values of a fixed size that begin with their time: what ULID, KSUID and ObjectId share.
//
//      | time, big-endian, ticks since first_ms | tail: random bytes, a counter |
//
// Big-endian, so that bytewise order is the order of the values, and of their times. A Format says the sizes and the
// tick; times are unix ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/require.hpp"
#include "core/text/big_endian.hpp"
#include "core/text/digits.hpp"

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
    IDGEN_REQUIRE(value.holds(unix_ms));
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

// Adds 1 to a big-endian number; false if it was the largest, and is 0 now.
inline bool increment(std::uint8_t *bytes, std::size_t size) noexcept {
    while (size-- > 0)
        if (++bytes[size] != 0) return true;
    return false;
}

// ULID: 16 bytes that sort by the time of their making.
//
//      | 48 bits unix ms | 80 bits random |       text: 26 digits of Crockford's Base32, the first at most 7
//
// Within a millisecond, and while the clock stands behind, the maker adds 1 to the last random part: values rise
// strictly. Text is written in upper case and read in either, I and L as 1, O as 0. Source: github.com/ulid/spec.

struct UlidFormat {
    static constexpr std::size_t size = 16;
    static constexpr std::size_t time_size = 6;
    static constexpr std::size_t text_size = 26;
    static constexpr std::int64_t first_ms = 0;
    static constexpr std::int64_t unit_ms = 1;
};
using Ulid = TimePrefixed<UlidFormat>;
static_assert(sizeof(Ulid) == 16 && Ulid::last_ms == 281474976710655, "a ULID is 16 bytes on disk");

// Writes Ulid::text_size bytes, without a terminating zero.
void print(const Ulid &ulid, char *out) noexcept;
// Reads exactly Ulid::text_size digits.
TextError parse(std::string_view text, Ulid &ulid) noexcept;

// Moves the last ULID that was made on to the next: one of this time with the random tail if that time is later,
// else the last one plus 1. False if no random part is left in its millisecond: nothing is changed.
bool step_up(Ulid &last, std::int64_t now_ms, const std::uint8_t (&random)[Ulid::tail_size]) noexcept;

// KSUID: 20 bytes that sort by the second of their making.
//
//      | 32 bits seconds since 2014-05-13T16:53:20Z | 128 bits random |       text: 27 digits of Base62,
//      zeros in front
//
// The digits 0-9, A-Z, a-z are in the order of their bytes, so texts sort as values do, bytewise (COLLATE "C"). The
// last second is 2150-06-19T23:21:35Z. Source: github.com/segmentio/ksuid.

struct KsuidFormat {
    static constexpr std::size_t size = 20;
    static constexpr std::size_t time_size = 4;
    static constexpr std::size_t text_size = 27;
    static constexpr std::int64_t first_ms = 1400000000000;
    static constexpr std::int64_t unit_ms = 1000;
};
using Ksuid = TimePrefixed<KsuidFormat>;
static_assert(sizeof(Ksuid) == 20 && Ksuid::tail_size == 16, "a KSUID is 20 bytes on disk");

// Writes Ksuid::text_size bytes, without a terminating zero.
void print(const Ksuid &ksuid, char *out) noexcept;
// Reads exactly Ksuid::text_size digits of a number of 160 bits.
TextError parse(std::string_view text, Ksuid &ksuid) noexcept;

// ObjectId, as MongoDB makes it: 12 bytes that sort by the second of their making.
//
//      | 32 bits unix seconds, unsigned | 40 bits random, of the process | 24 bits counter |
//
// Text: 24 hexadecimal digits, written in lower case and read in either. The counter begins at random and goes on by 1,
// from its last value to 0 without touching the time. Where it could come round in the same second, or the clock has gone
// back to one of before, the random part is drawn anew. Source: the BSON ObjectId specification.

struct ObjectIdFormat {
    static constexpr std::size_t size = 12;
    static constexpr std::size_t time_size = 4;
    static constexpr std::size_t text_size = 24;
    static constexpr std::int64_t first_ms = 0;
    static constexpr std::int64_t unit_ms = 1000;
};
using ObjectId = TimePrefixed<ObjectIdFormat>;
static_assert(sizeof(ObjectId) == 12 && ObjectId::tail_size == 8, "an ObjectId is 12 bytes on disk");

// Writes ObjectId::text_size bytes, without a terminating zero.
void print(const ObjectId &id, char *out) noexcept;
// Reads exactly ObjectId::text_size digits.
TextError parse(std::string_view text, ObjectId &id) noexcept;

// What a process makes ObjectIds from: the tail of the next one, the second of the last one, and how many it made in that.
// Begin with a random tail, all else zero.
struct ObjectIdSource {
    std::uint8_t tail[ObjectId::tail_size];
    std::uint32_t second;
    std::uint32_t count;
};
// Makes the next one. False if it may have been made before: the source must begin again.
bool next_object_id(ObjectIdSource &source, std::int64_t now_ms, ObjectId &id) noexcept;

}  // namespace idgen
