// For how long renewals of a horizon have been asked for in vain. One word: since when and when last, each ms
// of a clock that no step touches, modulo 2^32; 0 while none is outstanding. A database in which nobody asks
// any more keeps what it has, until the next renewal succeeds.
#pragma once

#include <cstdint>

namespace idgen {

// The stall, with one more request at `now_ms`.
constexpr std::uint64_t extended_stall(std::uint64_t stall, std::int64_t now_ms) noexcept {
    auto last = static_cast<std::uint32_t>(now_ms);
    std::uint64_t since = stall == 0 ? last : stall >> 32;
    return since << 32 | last;
}

constexpr std::uint32_t stall_ms(std::uint64_t stall) noexcept {
    return static_cast<std::uint32_t>(stall) - static_cast<std::uint32_t>(stall >> 32);
}

}  // namespace idgen
