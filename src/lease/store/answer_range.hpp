// What the numbers of an answer may be. A registry's instants are those of its clock, at most days ahead;
// calculations with what lies further could overflow, and no timestamp could show it.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::lease {

// An instant or a duration, ms: below the year 287396.
constexpr bool is_instant(int64 ms) noexcept {
    return ms >= 0 && ms < int64{1} << 53;
}

constexpr bool is_number(int64 number) noexcept {
    return number >= 0 && number <= PG_INT32_MAX;
}

// How often a registry was advanced: once more can still be counted.
constexpr bool is_count(int64 count) noexcept {
    return count >= 0 && count < PG_INT64_MAX;
}

}  // namespace idgen::lease
