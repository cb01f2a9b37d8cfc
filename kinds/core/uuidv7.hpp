// UUIDs of version 7 as next_uuidv7 makes them:
//
//      | 48 bits unix ms | 0111 | 12 bits fraction of the ms | 10 | 62 bits random |
//
// The fraction counts 4096ths of a millisecond (RFC 9562, section 6.2, method 3). Time and fraction together are the
// stamp. The maker gives every stamp once, and a larger one each time: if the clock is behind, the last plus 1. At more
// than 4096 a millisecond the stamps run ahead of the clock, and makers wait once they are as far ahead as the clock may
// lie behind (rising.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout/uuid.hpp"
#include "core/require.hpp"
#include "kinds/core/rising.hpp"

namespace idgen {

using UuidStamp = std::int64_t;
constexpr int uuid_fraction_bits = 12;
constexpr UuidStamp uuid_last_stamp = (UuidStamp{1} << (48 + uuid_fraction_bits)) - 1;

// The stamp of an instant: unix ms, and the nanoseconds since that ms began.
constexpr UuidStamp uuid_stamp(std::int64_t unix_ms, std::int32_t ns) noexcept {
    return unix_ms * (1 << uuid_fraction_bits) + (std::int64_t{ns} << uuid_fraction_bits) / 1000000;
}

// The whole milliseconds of a stamp, or between two.
constexpr std::int64_t uuid_stamp_ms(UuidStamp stamp) noexcept {
    return stamp >> uuid_fraction_bits;
}

// Moves the last stamp that was given on to the next: the present one if that is later, else the last plus 1. False
// past the end: nothing is changed.
constexpr bool step_up(UuidStamp &last, UuidStamp now) noexcept {
    UuidStamp next = now > last ? now : last + 1;
    if (next > uuid_last_stamp) return false;
    last = next;
    return true;
}

// The last stamp that was given, and the latest time of the clock with which one was: a clock that was set back is known by
// that, however far others have counted.
struct LastUuid {
    UuidStamp stamp;
    UuidStamp clock;
};

enum class UuidStep : std::uint8_t {
    made,
    too_far,  // ahead of the clock: nothing is changed
    end,      // past the end: no stamp is left
};

// Moves on to the next stamp. The clock may lie as far behind as is allowed: `reading` and `read_clock` are those of
// settle_reading.
template <class Clock>
UuidStep next_stamp(LastUuid &last, Reading &reading, UuidStamp allowed, Clock read_clock) noexcept {
    reading = settle_reading(last.clock, reading.now, allowed, read_clock);
    if (reading.behind > 0) {
        reading.behind = last.stamp - reading.now;
        last = {};
    }
    last.clock = std::max(last.clock, reading.now);
    if (reading.now >= 0 && last.stamp - reading.now >= allowed) return UuidStep::too_far;
    return step_up(last.stamp, reading.now) ? UuidStep::made : UuidStep::end;
}

// The UUID of version 7 with that stamp and the lower 62 of the given bits.
inline Uuid uuidv7_of(UuidStamp stamp, std::uint64_t random) noexcept {
    constexpr std::uint64_t fraction_mask = (1 << uuid_fraction_bits) - 1;
    auto bits = static_cast<std::uint64_t>(stamp);
    return uuid_of(7, bits >> uuid_fraction_bits << 16 | (bits & fraction_mask), random);
}

// The smallest and the largest UUID of version 7 of a millisecond. Requires that a UUID holds it.
inline Uuid uuidv7_min(std::int64_t unix_ms) noexcept {
    IDGEN_REQUIRE(uuid_holds(unix_ms));
    return uuidv7_of(uuid_stamp(unix_ms, 0), 0);
}
inline Uuid uuidv7_max(std::int64_t unix_ms) noexcept {
    IDGEN_REQUIRE(uuid_holds(unix_ms));
    return uuidv7_of(uuid_stamp(unix_ms, 999999), ~std::uint64_t{0});
}

}  // namespace idgen
