// A small deterministic generator (splitmix64): the same seed gives the same run everywhere.
#pragma once

#include <cstdint>

namespace idgen::sim {

class Random {
   public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }

    // A number from `low` to `high`, both included.
    std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    bool one_in(std::int64_t n) noexcept { return between(1, n) == 1; }

   private:
    std::uint64_t state_;
};

}  // namespace idgen::sim
