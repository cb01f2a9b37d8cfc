// The highest horizon R that a server was granted for each number, as long as it runs. A registry that knows
// a lower R of the number was put back to an older state, or made new, and has not been advanced since: it
// gives numbers at instants up to which their last owners have made IDs.
//
// A server begins its own numbers above what it was granted, whatever the registry answers. It cannot do that
// for the numbers of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/lease/number_choice.hpp"

namespace idgen {

// More than a server holds at once.
constexpr std::size_t most_granted = 192;

struct GrantedHorizon {
    std::int64_t number;
    std::int64_t horizon_ms;  // 0: nothing was granted, and this row is free
};

// In shared memory: no pointers. Zeroed: nothing was granted.
struct GrantedHorizons {
    GrantedHorizon rows[most_granted];
};
static_assert(std::is_standard_layout_v<GrantedHorizons> && std::is_trivially_destructible_v<GrantedHorizons>,
              "lives in shared memory");

// The highest R of a number; 0 if none was granted.
std::int64_t granted_ms(const GrantedHorizons &granted, std::int64_t number) noexcept;

// Notes an R. If all rows are used, the smallest R is forgotten: it is the first that the clock passes.
void note_granted(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept;

// Notes that the server lowered R itself, at a clean stop.
void note_lowered(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept;

// A number of which a registry knows less than this server was granted.
struct OlderRegistry {
    std::int64_t number;
    std::int64_t granted_ms;  // 0: there is no such number
    std::int64_t known_ms;
};

// The number with the highest such R, of what a registry lists of a range.
OlderRegistry find_older(const GrantedHorizons &granted, const NumberList &list, const NumberRange &range) noexcept;

}  // namespace idgen
