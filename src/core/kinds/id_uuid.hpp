// A 64-bit ID inside a UUID of version 7 (RFC 9562):
//
//      | 48 bits time, unix ms | 0111 | 11 zeros | bit 62 | 10 | bits 61 to 0 of the ID |
//      |      octets 0-5       |      octets 6 and 7      |          octets 8-15        |
//
// The time is that of the ID's tick in its layout, so everything that reads a UUID's time reads the ID's.
// Within a layout the time rises with the ID, so UUIDs sort as their IDs do. All 63 bits of the ID stand
// beside the time, so a UUID that was written with another layout, or never held an ID, is known by a time
// that is not its ID's. Never change: on disk, wherever a uuid column holds it.
#pragma once

#include <cstdint>

#include "core/kinds/uuid.hpp"
#include "core/layout/packing.hpp"

namespace idgen {

// Why an ID is in no UUID.
enum class IdReason : std::uint8_t { none, not_of_layout, time_not_in_uuid };
IdReason uuid_from_id(const Packing &p, std::int64_t id, Uuid &uuid) noexcept;

// Why a UUID holds no ID; where it has another time, `id` is the number that it holds.
enum class UuidReason : std::uint8_t { none, not_version_7, holds_no_id, has_other_time };
UuidReason id_from_uuid(const Packing &p, const Uuid &uuid, std::int64_t &id) noexcept;

}  // namespace idgen
