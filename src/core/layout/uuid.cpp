#include "core/layout/uuid.hpp"

namespace idgen {

namespace {

constexpr std::uint64_t below_version = 0xFFF;  // the bits of the upper half behind the version
constexpr std::uint64_t time_mask = ~std::uint64_t{0xFFFF};

// Of the bits of an ID, in a UUID of version 8: those behind the version, and those behind the variant.
constexpr int v8_low_bits = 4;
constexpr int v8_random_bits = 62 - v8_low_bits;
constexpr std::uint64_t v8_low_mask = (1 << v8_low_bits) - 1;
constexpr std::uint64_t v8_random_mask = (std::uint64_t{1} << v8_random_bits) - 1;

// Versions 1 and 6 count 100 ns from 1582-10-15, the first day of the Gregorian calendar.
constexpr std::int64_t gregorian_to_unix = 122192928000000000;

// time_low 32 | time_mid 16 | version 4 | time_high 12
std::int64_t time_of_version_1(std::uint64_t upper) noexcept {
    return static_cast<std::int64_t>((upper & 0xFFF) << 48 | (upper >> 16 & 0xFFFF) << 32 | upper >> 32);
}

// time_high 32 | time_mid 16 | version 4 | time_low 12
std::int64_t time_of_version_6(std::uint64_t upper) noexcept {
    return static_cast<std::int64_t>(upper >> 16 << 12 | (upper & 0xFFF));
}

// The microsecond that contains it.
std::int64_t unix_us_of(std::int64_t gregorian) noexcept {
    std::int64_t ticks = gregorian - gregorian_to_unix;
    return ticks / 10 - (ticks % 10 < 0 ? 1 : 0);
}

}  // namespace

int uuid_version(const Uuid &uuid) noexcept {
    if (uuid.octets[8] >> 6 != 2) return -1;
    return uuid.octets[6] >> 4;
}

std::int64_t uuid_time_ms(const Uuid &uuid) noexcept {
    return static_cast<std::int64_t>(upper_half(uuid) >> 16);
}

bool uuid_time_us(const Uuid &uuid, std::int64_t &unix_us) noexcept {
    switch (uuid_version(uuid)) {
        case 1:
            unix_us = unix_us_of(time_of_version_1(upper_half(uuid)));
            return true;
        case 6:
            unix_us = unix_us_of(time_of_version_6(upper_half(uuid)));
            return true;
        case 7:
            unix_us = uuid_time_ms(uuid) * 1000;
            return true;
        default:
            return false;
    }
}

IdReason uuid_from_id(const Packing &p, std::int64_t id, Uuid &uuid) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts)) return IdReason::not_of_layout;
    std::int64_t ms = ms_down(start_of(p, parts.tick));
    if (!uuid_holds(ms)) return IdReason::time_not_in_uuid;
    auto bits = static_cast<std::uint64_t>(id);
    uuid = uuid_of(7, static_cast<std::uint64_t>(ms) << 16 | bits >> 62, bits);
    return IdReason::none;
}

IdReason uuidv8_from_id(const Packing &p, std::int64_t id, std::uint64_t random, Uuid &uuid) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts)) return IdReason::not_of_layout;
    auto bits = static_cast<std::uint64_t>(id);
    uuid = uuid_of(8, (bits & time_mask) | (bits >> v8_low_bits & below_version),
                   (bits & v8_low_mask) << v8_random_bits | (random & v8_random_mask));
    return IdReason::none;
}

namespace {

UuidReason id_from_uuidv8(const Packing &p, std::uint64_t upper, std::uint64_t lower, std::int64_t &id) noexcept {
    Parts parts{};
    id = static_cast<std::int64_t>((upper & time_mask) | (upper & below_version) << v8_low_bits |
                                   (lower >> v8_random_bits & v8_low_mask));
    return unpack(p, id, parts) ? UuidReason::none : UuidReason::not_of_layout;
}

}  // namespace

UuidReason id_from_uuid(const Packing &p, const Uuid &uuid, std::int64_t &id) noexcept {
    std::uint64_t upper = upper_half(uuid), lower = lower_half(uuid);
    if (uuid_version(uuid) == 8) return id_from_uuidv8(p, upper, lower, id);
    if (uuid_version(uuid) != 7) return UuidReason::other_version;
    Parts parts{};
    id = static_cast<std::int64_t>((upper & below_version) << 62 | (lower & uuid_lower_mask));
    if ((upper & 0xFFE) != 0 || !unpack(p, id, parts)) return UuidReason::holds_no_id;
    return ms_down(start_of(p, parts.tick)) == uuid_time_ms(uuid) ? UuidReason::none : UuidReason::has_other_time;
}

}  // namespace idgen
