#include "core/issue/slot_index.hpp"

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

}  // namespace idgen
