#include "core/cipher/ff1.hpp"

#include <cstring>

#include "core/require.hpp"
#include "core/text/big_endian.hpp"

namespace idgen {
namespace {

constexpr int rounds = 10;

using Block = unsigned __int128;

Block load_block(const std::uint8_t *bytes) noexcept {
    return Block{load_big_endian<std::uint64_t>(bytes)} << 64 | load_big_endian<std::uint64_t>(bytes + 8);
}

// Bits of the whole bytes that hold every number below `end`.
int bits_below(std::uint64_t end) noexcept {
    int bits = 0;
    for (std::uint64_t last = end - 1; last > 0; last >>= 8) bits += 8;
    return bits;
}

// Up to one block of the tweak, zeros behind it.
Block tweak_block(std::string_view tweak, std::size_t at) noexcept {
    std::uint8_t bytes[cipher_block_size] = {};
    if (at < tweak.size()) tweak.copy(reinterpret_cast<char *>(bytes), cipher_block_size, at);
    return load_block(bytes);
}

// The standard's P: version 1, method 2, addition 1, radix, rounds, numerals on the left, numerals, bytes of tweak.
Block first_block(const Ff1Domain &domain, std::size_t tweak_size) noexcept {
    std::uint64_t high = std::uint64_t{0x010201} << 40 | std::uint64_t{domain.radix} << 16 |
                         std::uint64_t{rounds} << 8 | domain.size / 2;
    return Block{high} << 64 | std::uint64_t{domain.size} << 32 | tweak_size;
}

}  // namespace

bool Ff1::encrypt_block(Block block, Block &encrypted) const noexcept {
    std::uint8_t in[cipher_block_size], out[cipher_block_size];
    store_big_endian(static_cast<std::uint64_t>(block >> 64), in);
    store_big_endian(static_cast<std::uint64_t>(block), in + 8);
    if (!cipher_.encrypt(cipher_.key, in, out)) return false;
    encrypted = load_block(out);
    return true;
}

bool Ff1::begin(const Ff1Domain &domain, const BlockCipher &cipher, std::string_view tweak) noexcept {
    IDGEN_REQUIRE(is_ff1_domain(domain));
    domain_ = domain;
    cipher_ = cipher;
    left_end_ = clamped_power(domain.radix, domain.size / 2);
    right_end_ = clamped_power(domain.radix, domain.size - domain.size / 2);
    half_bits_ = bits_below(right_end_);

    // The standard's Q: the tweak, zeros, and at the end of the last block the round and the half.
    std::size_t size = tweak.size() + 1 + static_cast<std::size_t>(half_bits_ / 8);
    Block block = first_block(domain, tweak.size());
    for (std::size_t at = 0; at < size; at += cipher_block_size) {
        if (!encrypt_block(block, block)) return false;
        block ^= tweak_block(tweak, at);
    }
    last_block_ = block;
    return true;
}

// What a round adds to the other half: the first 8 bytes of the MAC, 12 for halves of more than 4.
bool Ff1::round_value(int round, std::uint64_t half, std::uint64_t &value) const noexcept {
    Block mac;
    if (!encrypt_block(last_block_ ^ (Block{static_cast<unsigned>(round)} << half_bits_ | half), mac)) return false;
    if (half_bits_ <= 32)
        value = static_cast<std::uint64_t>(mac >> 64) % end_of(round);
    else
        value = static_cast<std::uint64_t>((mac >> 32) % end_of(round));
    return true;
}

bool Ff1::encrypt(Ff1Halves &halves) const noexcept {
    IDGEN_REQUIRE(halves.left < left_end_ && halves.right < right_end_);
    for (int round = 0; round < rounds; round++) {
        std::uint64_t value;
        if (!round_value(round, halves.right, value)) return false;
        std::uint64_t sum = halves.left + value, end = end_of(round);
        halves = {halves.right, sum >= end ? sum - end : sum};
    }
    return true;
}

bool Ff1::decrypt(Ff1Halves &halves) const noexcept {
    IDGEN_REQUIRE(halves.left < left_end_ && halves.right < right_end_);
    for (int round = rounds; round-- > 0;) {
        std::uint64_t value;
        if (!round_value(round, halves.left, value)) return false;
        std::uint64_t borrowed = halves.right < value ? end_of(round) : 0;
        halves = {halves.right + borrowed - value, halves.left};
    }
    return true;
}

Ff1Halves Ff1::halves_of(const std::uint16_t *numerals) const noexcept {
    Ff1Halves halves{0, 0};
    for (std::uint32_t i = 0; i < domain_.size; i++) {
        std::uint64_t &half = i < domain_.size / 2 ? halves.left : halves.right;
        half = half * domain_.radix + numerals[i];
    }
    return halves;
}

void Ff1::write(const Ff1Halves &halves, std::uint16_t *numerals) const noexcept {
    Ff1Halves rest = halves;
    for (std::uint32_t i = domain_.size; i-- > 0;) {
        std::uint64_t &half = i < domain_.size / 2 ? rest.left : rest.right;
        numerals[i] = static_cast<std::uint16_t>(half % domain_.radix);
        half /= domain_.radix;
    }
}

bool Ff1::encrypt(std::uint16_t *numerals) const noexcept {
    Ff1Halves halves = halves_of(numerals);
    if (!encrypt(halves)) return false;
    write(halves, numerals);
    return true;
}

bool Ff1::decrypt(std::uint16_t *numerals) const noexcept {
    Ff1Halves halves = halves_of(numerals);
    if (!decrypt(halves)) return false;
    write(halves, numerals);
    return true;
}

}  // namespace idgen
