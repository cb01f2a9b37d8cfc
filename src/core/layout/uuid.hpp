// UUID (RFC 9562): 16 octets. What the versions with a time say, and 64-bit IDs inside a UUID.
#pragma once

#include <cstdint>

#include "core/layout/packing.hpp"
#include "core/text/big_endian.hpp"

namespace idgen {

struct Uuid {
    std::uint8_t octets[16];
};
static_assert(sizeof(Uuid) == 16, "a uuid is 16 bytes on disk");

// The instants that 48 bits can say, unix ms: 0 to here.
constexpr std::int64_t uuid_last_ms = (std::int64_t{1} << 48) - 1;

constexpr bool uuid_holds(std::int64_t unix_ms) noexcept {
    return unix_ms >= 0 && unix_ms <= uuid_last_ms;
}

inline std::uint64_t upper_half(const Uuid &uuid) noexcept {
    return load_big_endian<std::uint64_t>(uuid.octets);
}
inline std::uint64_t lower_half(const Uuid &uuid) noexcept {
    return load_big_endian<std::uint64_t>(uuid.octets + 8);
}
// The bits of the lower half below the variant.
constexpr std::uint64_t uuid_lower_mask = (std::uint64_t{1} << 62) - 1;

// The UUID of a version: its 64 upper bits, but for the 4 of the version; and the 62 lower ones of `lower`.
inline Uuid uuid_of(unsigned version, std::uint64_t upper, std::uint64_t lower) noexcept {
    constexpr std::uint64_t version_mask = 0xF000, variant = std::uint64_t{2} << 62;
    Uuid uuid{};
    store_big_endian((upper & ~version_mask) | std::uint64_t{version} << 12, uuid.octets);
    store_big_endian(variant | (lower & uuid_lower_mask), uuid.octets + 8);
    return uuid;
}

// The version, 0 to 15; negative if the variant is another than that of RFC 9562, as in nil and max.
int uuid_version(const Uuid &uuid) noexcept;

// The time of a UUID of version 7, unix ms.
std::int64_t uuid_time_ms(const Uuid &uuid) noexcept;
// The time of a UUID of version 1, 6 or 7, unix microseconds; false for all others, which have none.
bool uuid_time_us(const Uuid &uuid, std::int64_t &unix_us) noexcept;

// A 64-bit ID inside a UUID of version 7 (RFC 9562):
//
//      | 48 bits time, unix ms | 0111 | 11 zeros | bit 62 | 10 | bits 61 to 0 of the ID |
//      |      octets 0-5       |      octets 6 and 7      |          octets 8-15        |
//
// The time is that of the ID's tick in its layout, so everything that reads a UUID's time reads the ID's. Within a
// layout the time rises with the ID, so UUIDs sort as their IDs do. All 63 bits of the ID stand beside the time, so a
// UUID that was written with another layout, or never held an ID, is known by a time that is not its ID's. Never
// change: on disk, wherever a uuid column holds it.

// Why an ID is in no UUID.
enum class IdReason : std::uint8_t { none, not_of_layout, time_not_in_uuid };
IdReason uuid_from_id(const Packing &p, std::int64_t id, Uuid &uuid) noexcept;

// A 64-bit ID before random bits: a UUID of version 8 (RFC 9562), whose maker says what its bits mean:
//
//      | bits 63 to 16 of the ID | 1000 | bits 15 to 4 | 10 | bits 3 to 0 | 58 bits random |
//      |       octets 0-5        |  octets 6 and 7     |           octets 8-15           |
//
// UUIDs sort as their IDs do, whichever layout these have, and who knows the ID does not know the UUID. Beside the ID
// nothing in it can be checked: one that another program made reads as some ID. Never change: on disk, wherever a uuid
// column holds it.
//
// The lower 58 of the given bits are used.
IdReason uuidv8_from_id(const Packing &p, std::int64_t id, std::uint64_t random, Uuid &uuid) noexcept;

// Why a UUID holds no ID, of either form. If it has another time, or is not of the layout, `id` is the number in it.
enum class UuidReason : std::uint8_t { none, other_version, holds_no_id, has_other_time, not_of_layout };
UuidReason id_from_uuid(const Packing &p, const Uuid &uuid, std::int64_t &id) noexcept;

}  // namespace idgen
