#include "core/slot/slot_index.hpp"

#include <cstring>

namespace idgen {

bool operator==(const SlotKey &a, const SlotKey &b) noexcept {
    return std::memcmp(&a, &b, sizeof(SlotKey)) == 0;
}

// Mixes the three words of the key by multiplication (the finaliser of MurmurHash3).
std::uint32_t hash_of(const SlotKey &key) noexcept {
    std::uint64_t words[3];
    static_assert(sizeof(words) == sizeof(key));
    std::memcpy(words, &key, sizeof(key));
    std::uint64_t hash = 0;
    for (std::uint64_t word : words) {
        hash ^= word;
        hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDu;
        hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53u;
    }
    return static_cast<std::uint32_t>(hash ^ hash >> 33);
}

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

SlotUse use_of(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept {
    if (whole > max_shard) return SlotUse::own;
    bool is_own = layout.node_bits() == 0 || owns(shards, region, layout, whole);
    return is_own && is_of_preset(key_of(layout)) ? SlotUse::own : SlotUse::other;
}

}  // namespace idgen
