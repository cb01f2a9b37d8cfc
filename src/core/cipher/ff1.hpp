// FF1, the format-preserving cipher of NIST SP 800-38G: encrypts `size` numerals of a radix to as many of the same
// radix, under the key of a block cipher and a tweak.
//
//      left half: the first size/2 numerals | right half: the rest, one more if size is odd
//      10 rounds: (left, right) = (right, (left + F(tweak, round, right)) mod radix^its numerals)
//
// F is a CBC-MAC over the tweak, the round and the half as a number. All but its last block is the same in each round,
// so it is computed once; a round costs one call of the block cipher. Halves are numbers below 2^63, and no floating
// point is used. The block cipher is handed in, 16 bytes a block. Never change: public IDs are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

constexpr std::size_t cipher_block_size = 16;

// Encrypts one block under a key; false if the cipher failed.
struct BlockCipher {
    bool (*encrypt)(void *key, const std::uint8_t *in, std::uint8_t *out) noexcept;
    void *key;
};

struct Ff1Domain {
    std::uint32_t radix;
    std::uint32_t size;  // numerals
};

// base to the power of exponent; 2^63 if it is that much or more.
constexpr std::uint64_t clamped_power(std::uint32_t base, std::uint32_t exponent) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    std::uint64_t power = 1;
    for (std::uint32_t i = 0; i < exponent; i++) {
        if (power > most / base) return most;
        power *= base;
    }
    return power;
}

// Whether the standard allows the domain and its halves are below 2^63.
constexpr bool is_ff1_domain(const Ff1Domain &domain) noexcept {
    if (domain.radix < 2 || domain.radix > 65536 || domain.size < 2 || domain.size > 126) return false;
    return clamped_power(domain.radix, domain.size) >= 100 &&
           clamped_power(domain.radix, domain.size - domain.size / 2) < std::uint64_t{1} << 63;
}

// The halves of the numerals, each as a number.
struct Ff1Halves {
    std::uint64_t left;
    std::uint64_t right;
};

// The cipher for one domain, key and tweak. Every call gives false if the block cipher failed.
class Ff1 {
   public:
    // Requires is_ff1_domain(domain), and an encrypt() that outlives this.
    bool begin(const Ff1Domain &domain, const BlockCipher &cipher, std::string_view tweak) noexcept;

    // Require halves within the domain.
    bool encrypt(Ff1Halves &halves) const noexcept;
    bool decrypt(Ff1Halves &halves) const noexcept;

    // In place, domain.size numerals. Require numerals below the radix.
    bool encrypt(std::uint16_t *numerals) const noexcept;
    bool decrypt(std::uint16_t *numerals) const noexcept;

   private:
    // A block, its first byte the highest.
    using Block = unsigned __int128;

    bool encrypt_block(Block block, Block &encrypted) const noexcept;
    bool round_value(int round, std::uint64_t half, std::uint64_t &value) const noexcept;
    std::uint64_t end_of(int round) const noexcept { return round % 2 == 0 ? left_end_ : right_end_; }
    Ff1Halves halves_of(const std::uint16_t *numerals) const noexcept;
    void write(const Ff1Halves &halves, std::uint16_t *numerals) const noexcept;

    Ff1Domain domain_;
    BlockCipher cipher_;
    std::uint64_t left_end_;   // above all numbers that the left half can be
    std::uint64_t right_end_;  // and the right half
    int half_bits_;            // of the whole bytes that hold either half
    Block last_block_;         // what goes into the last block beside round and half
};

}  // namespace idgen
