#include "core/id_uuid.hpp"

namespace idgen {
namespace {

constexpr std::uint64_t version = std::uint64_t{7} << 12;  // bits 12 to 15 of the upper half
constexpr std::uint64_t variant = std::uint64_t{2} << 62;  // the two highest bits of the lower half
constexpr std::uint64_t low_bits = (std::uint64_t{1} << 62) - 1;

void store(std::uint64_t half, std::uint8_t *octets) noexcept {
    for (int i = 7; i >= 0; i--, half >>= 8) octets[i] = static_cast<std::uint8_t>(half);
}

std::uint64_t load(const std::uint8_t *octets) noexcept {
    std::uint64_t half = 0;
    for (int i = 0; i < 8; i++) half = half << 8 | octets[i];
    return half;
}

}  // namespace

std::int64_t uuid_time_ms(const Uuid &uuid) noexcept {
    return static_cast<std::int64_t>(load(uuid.octets) >> 16);
}

Reason uuid_from_id(const Packing &p, std::int64_t id, Uuid &uuid) noexcept {
    Parts parts{};
    if (!unpack(p, id, parts)) return Reason::id_not_of_layout;
    std::int64_t ms = start_of(p, parts.tick);
    if (ms < 0 || ms > uuid_last_ms) return Reason::uuid_cannot_hold_time;
    auto bits = static_cast<std::uint64_t>(id);
    store(static_cast<std::uint64_t>(ms) << 16 | version | bits >> 62, uuid.octets);
    store(variant | (bits & low_bits), uuid.octets + 8);
    return Reason::none;
}

Reason id_from_uuid(const Packing &p, const Uuid &uuid, std::int64_t &id) noexcept {
    std::uint64_t upper = load(uuid.octets), lower = load(uuid.octets + 8);
    if ((upper & 0xF000) != version || (lower & ~low_bits) != variant) return Reason::uuid_not_version_7;
    Parts parts{};
    id = static_cast<std::int64_t>((upper & 0xFFF) << 62 | (lower & low_bits));
    if ((upper & 0xFFE) != 0 || !unpack(p, id, parts)) return Reason::uuid_holds_no_id;
    return start_of(p, parts.tick) == uuid_time_ms(uuid) ? Reason::none : Reason::uuid_has_other_time;
}

}  // namespace idgen
