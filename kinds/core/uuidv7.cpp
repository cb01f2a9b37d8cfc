#include "kinds/core/uuidv7.hpp"

#include "core/require.hpp"

namespace idgen {

Uuid uuidv7_of(UuidStamp stamp, std::uint64_t random) noexcept {
    constexpr std::uint64_t fraction_mask = (1 << uuid_fraction_bits) - 1;
    auto bits = static_cast<std::uint64_t>(stamp);
    return uuid_of(7, bits >> uuid_fraction_bits << 16 | (bits & fraction_mask), random);
}

Uuid uuidv7_min(std::int64_t unix_ms) noexcept {
    IDGEN_REQUIRE(uuid_holds(unix_ms));
    return uuidv7_of(uuid_stamp(unix_ms, 0), 0);
}

Uuid uuidv7_max(std::int64_t unix_ms) noexcept {
    IDGEN_REQUIRE(uuid_holds(unix_ms));
    return uuidv7_of(uuid_stamp(unix_ms, 999999), ~std::uint64_t{0});
}

}  // namespace idgen
