#include "core/kinds/id_uuid.hpp"

namespace idgen {
namespace {

constexpr std::uint64_t version = std::uint64_t{7} << 12;  // bits 12 to 15 of the upper half
constexpr std::uint64_t variant = std::uint64_t{2} << 62;  // the two highest bits of the lower half
constexpr std::uint64_t low_bits = (std::uint64_t{1} << 62) - 1;

}  // namespace

IdReason uuid_from_id(const Packing &p, std::int64_t id, Uuid &uuid) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts)) return IdReason::not_of_layout;
    std::int64_t ms = start_of(p, parts.tick);
    if (!uuid_holds(ms)) return IdReason::time_not_in_uuid;
    auto bits = static_cast<std::uint64_t>(id);
    uuid = uuid_of(static_cast<std::uint64_t>(ms) << 16 | version | bits >> 62, variant | (bits & low_bits));
    return IdReason::none;
}

UuidReason id_from_uuid(const Packing &p, const Uuid &uuid, std::int64_t &id) noexcept {
    std::uint64_t upper = upper_half(uuid), lower = lower_half(uuid);
    if ((upper & 0xF000) != version || (lower & ~low_bits) != variant) return UuidReason::not_version_7;
    Parts parts{};
    id = static_cast<std::int64_t>((upper & 0xFFF) << 62 | (lower & low_bits));
    if ((upper & 0xFFE) != 0 || !unpack(p, id, parts)) return UuidReason::holds_no_id;
    return start_of(p, parts.tick) == uuid_time_ms(uuid) ? UuidReason::none : UuidReason::has_other_time;
}

}  // namespace idgen
