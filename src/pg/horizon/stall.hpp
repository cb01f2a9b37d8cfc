// For how long renewals of a horizon have been asked for in vain. One word: since when and when last, each ms
// of a clock that no step touches, modulo 2^32; 0 while none is outstanding. A database in which nobody asks
// any more keeps what it has, until the next renewal succeeds.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// The stall, with one more request at `now_ms`.
constexpr uint64 extended_stall(uint64 stall, int64 now_ms) noexcept {
    auto last = static_cast<uint32>(now_ms);
    uint64 since = stall == 0 ? last : stall >> 32;
    return since << 32 | last;
}

constexpr uint32 stall_ms(uint64 stall) noexcept {
    return static_cast<uint32>(stall) - static_cast<uint32>(stall >> 32);
}

}  // namespace idgen::pg
