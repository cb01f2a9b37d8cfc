// NanoID: symbols of an alphabet, each picked by a random byte, all equally likely.
//
// With n symbols, a byte below the largest multiple of n picks the symbol of its remainder; the few bytes above pick
// none. So every symbol stands for as many bytes as any other. The bytes of a block are used from its end, and a block
// has the size that the published rule gives it: from the same random bytes comes the same text. Source:
// github.com/ai/nanoid, customRandom.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/require.hpp"

namespace idgen {

constexpr std::size_t nanoid_most_symbols = 255;

// The bytes below it pick a symbol: the largest multiple of `symbols` in 256. Requires 1 to 256 symbols.
constexpr std::size_t nanoid_cutoff(std::size_t symbols) noexcept {
    IDGEN_REQUIRE(symbols >= 1 && symbols <= 256);
    return 256 - 256 % symbols;
}

// How many random bytes to fetch for `wanted` symbols: as many, or 1.6 times what is needed on average if some of
// the bytes pick none.
constexpr std::size_t nanoid_block(std::size_t symbols, std::size_t wanted) noexcept {
    std::size_t cutoff = nanoid_cutoff(symbols);
    // 1.6 * 256 * wanted / cutoff, upward
    return cutoff == 256 ? wanted : (4096 * wanted + 10 * cutoff - 1) / (10 * cutoff);
}

// If the number of symbols divides 256, it is a power of 2 and every byte picks one.
inline std::size_t pick_from_every_byte(std::size_t symbols, const std::uint8_t *random, std::size_t size,
                                        std::uint8_t *picks, std::size_t wanted) noexcept {
    std::size_t count = size < wanted ? size : wanted;
    auto mask = static_cast<std::uint8_t>(symbols - 1);
    for (std::size_t i = 0; i < count; i++) picks[i] = random[size - 1 - i] & mask;
    return count;
}

// Picks up to `wanted` symbols, as their numbers from 0; gives how many the bytes were enough for.
inline std::size_t pick_symbols(std::size_t symbols, const std::uint8_t *random, std::size_t size, std::uint8_t *picks,
                                std::size_t wanted) noexcept {
    std::size_t cutoff = nanoid_cutoff(symbols), count = 0;
    if (cutoff == 256) return pick_from_every_byte(symbols, random, size, picks, wanted);
    for (std::size_t i = size; i-- > 0 && count < wanted;)
        if (random[i] < cutoff) picks[count++] = static_cast<std::uint8_t>(random[i] % symbols);
    return count;
}

}  // namespace idgen
