#include "core/ff1.hpp"

#include <algorithm>
#include <cstring>

namespace idgen {
namespace {

constexpr int rounds = 10;

void write_big_endian(std::uint64_t number, std::uint8_t *out, std::size_t size) noexcept {
    for (std::size_t i = size; i-- > 0; number >>= 8) out[i] = static_cast<std::uint8_t>(number);
}

std::uint64_t read_big_endian(const std::uint8_t *bytes, std::size_t size) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; i++) number = number << 8 | bytes[i];
    return number;
}

// Bytes that hold every number below `end`.
std::size_t bytes_below(std::uint64_t end) noexcept {
    std::size_t size = 0;
    for (std::uint64_t last = end - 1; last > 0; last >>= 8) size++;
    return size;
}

}  // namespace

bool Ff1::begin(const Ff1Domain &domain, const BlockCipher &cipher, std::string_view tweak) noexcept {
    domain_ = domain;
    cipher_ = cipher;
    std::uint32_t left_size = domain.size / 2;
    left_end_ = clamped_power(domain.radix, left_size);
    right_end_ = clamped_power(domain.radix, domain.size - left_size);
    half_bytes_ = bytes_below(right_end_);

    // The standard's P: version 1, method 2, addition 1, radix, rounds, sizes.
    std::uint8_t block[cipher_block_size] = {1, 2, 1};
    write_big_endian(domain.radix, block + 3, 3);
    block[6] = rounds;
    block[7] = static_cast<std::uint8_t>(left_size);
    write_big_endian(domain.size, block + 8, 4);
    write_big_endian(tweak.size(), block + 12, 4);
    if (!cipher_.encrypt(cipher_.key, block, last_block_)) return false;

    // The standard's Q: the tweak, zeros, and at the end of the last block the round and the half.
    std::size_t end = tweak.size() + 1 + half_bytes_;
    for (std::size_t at = 0; at < end; at += cipher_block_size) {
        std::size_t size = at < tweak.size() ? std::min(cipher_block_size, tweak.size() - at) : 0;
        for (std::size_t i = 0; i < size; i++) last_block_[i] ^= static_cast<std::uint8_t>(tweak[at + i]);
        if (end - at <= cipher_block_size) break;
        if (!cipher_.encrypt(cipher_.key, last_block_, block)) return false;
        std::memcpy(last_block_, block, cipher_block_size);
    }
    return true;
}

// What a round adds to the other half: 4 bytes more than the half has, in whole words of 4.
bool Ff1::round_value(int round, std::uint64_t half, Wide &value) const noexcept {
    std::uint8_t block[cipher_block_size];
    std::uint8_t number[sizeof(half)];
    std::uint8_t mac[cipher_block_size];
    std::memcpy(block, last_block_, cipher_block_size);
    block[cipher_block_size - 1 - half_bytes_] ^= static_cast<std::uint8_t>(round);
    write_big_endian(half, number, sizeof(number));
    for (std::size_t i = 1; i <= half_bytes_; i++) block[cipher_block_size - i] ^= number[sizeof(number) - i];
    if (!cipher_.encrypt(cipher_.key, block, mac)) return false;
    value = read_big_endian(mac, 8);
    if (half_bytes_ > 4) value = value << 32 | read_big_endian(mac + 8, 4);
    return true;
}

bool Ff1::encrypt(Ff1Halves &halves) const noexcept {
    for (int round = 0; round < rounds; round++) {
        Wide value;
        if (!round_value(round, halves.right, value)) return false;
        auto sum = static_cast<std::uint64_t>((halves.left + value) % modulus(round));
        halves = {halves.right, sum};
    }
    return true;
}

bool Ff1::decrypt(Ff1Halves &halves) const noexcept {
    for (int round = rounds; round-- > 0;) {
        Wide value;
        if (!round_value(round, halves.left, value)) return false;
        std::uint64_t end = modulus(round);
        auto difference = static_cast<std::uint64_t>((halves.right + (end - value % end)) % end);
        halves = {difference, halves.left};
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
