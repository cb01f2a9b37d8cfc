// An ID encrypted to another number, so that it shows neither time nor rate nor node: FF1 over the positive
// bigints. 63 binary digits are exactly those, so every ID has one encrypted form and every positive bigint
// is that of some ID. Never change: encrypted IDs are kept outside.
#pragma once

#include "core/cipher/ff1.hpp"

namespace idgen {

constexpr Ff1Domain id_domain{2, 63};
static_assert(is_ff1_domain(id_domain), "the domain of FF1");

// The first 31 binary digits of an ID, and the other 32.
constexpr Ff1Halves halves_of_id(std::int64_t id) noexcept {
    auto bits = static_cast<std::uint64_t>(id);
    return {bits >> 32, bits & 0xFFFFFFFF};
}

constexpr std::int64_t id_of_halves(const Ff1Halves &halves) noexcept {
    return static_cast<std::int64_t>(halves.left << 32 | halves.right);
}

// Require an ID that is not negative; false where the block cipher failed.
inline bool encrypt_id(const BlockCipher &cipher, std::string_view tweak, std::int64_t &id) noexcept {
    Ff1 ff1;
    Ff1Halves halves = halves_of_id(id);
    if (!ff1.begin(id_domain, cipher, tweak) || !ff1.encrypt(halves)) return false;
    id = id_of_halves(halves);
    return true;
}

inline bool decrypt_id(const BlockCipher &cipher, std::string_view tweak, std::int64_t &id) noexcept {
    Ff1 ff1;
    Ff1Halves halves = halves_of_id(id);
    if (!ff1.begin(id_domain, cipher, tweak) || !ff1.decrypt(halves)) return false;
    id = id_of_halves(halves);
    return true;
}

}  // namespace idgen
