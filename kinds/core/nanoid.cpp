#include "kinds/core/nanoid.hpp"

namespace idgen {
namespace {

// If the number of symbols divides 256, it is a power of 2 and every byte picks one.
std::size_t pick_from_every_byte(std::size_t symbols, const std::uint8_t *random, std::size_t size, std::uint8_t *picks,
                                 std::size_t wanted) noexcept {
    std::size_t count = size < wanted ? size : wanted;
    auto mask = static_cast<std::uint8_t>(symbols - 1);
    for (std::size_t i = 0; i < count; i++) picks[i] = random[size - 1 - i] & mask;
    return count;
}

}  // namespace

std::size_t pick_symbols(std::size_t symbols, const std::uint8_t *random, std::size_t size, std::uint8_t *picks,
                         std::size_t wanted) noexcept {
    std::size_t cutoff = nanoid_cutoff(symbols), count = 0;
    if (cutoff == 256) return pick_from_every_byte(symbols, random, size, picks, wanted);
    for (std::size_t i = size; i-- > 0 && count < wanted;)
        if (random[i] < cutoff) picks[count++] = static_cast<std::uint8_t>(random[i] % symbols);
    return count;
}

}  // namespace idgen
