#include "core/issue/slot_quota.hpp"

namespace idgen {
namespace {

bool is_of_preset(const PackingKey &packing) noexcept {
    for (int i = 0; i < preset_count; i++) {
        PackingKey key = key_of(preset(i).layout);
        if (std::memcmp(&key, &packing, sizeof(PackingKey)) == 0) return true;
    }
    return false;
}

}  // namespace

bool owns(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept {
    return shards.contains(region == 0 ? whole : whole & mask32(layout.shard_bits));
}

bool may_draw(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept {
    return layout.node_bits() == 0 || shards.empty() || owns(shards, region, layout, whole);
}

Claim claim_of(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept {
    if (whole > max_shard) return Claim::own;
    bool is_own = layout.node_bits() == 0 || owns(shards, region, layout, whole);
    return is_own && is_of_preset(key_of(layout)) ? Claim::own : Claim::other;
}

}  // namespace idgen
