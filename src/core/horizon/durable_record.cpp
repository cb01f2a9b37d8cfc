#include "core/horizon/durable_record.hpp"

#include <algorithm>

namespace idgen {

std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept {
    std::uint64_t hash = system_identifier + timeline * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return std::min(static_cast<std::int64_t>(hash | std::uint64_t{1} << 63), std::int64_t{-2});
}

}  // namespace idgen
