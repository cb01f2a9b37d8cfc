// A duration as people read it, in two units at most:
//
//      below 2 minutes    12.345 s
//      below an hour      2 min 5 s      30 min
//      below a day        3 h 12 min     12 h
//      above              1 day 4 h      1461 days
//
// A second part of 0 is left out. What lies below the last unit is rounded up: who waits that long has waited enough.
#pragma once

#include <cstddef>
#include <cstdint>

namespace idgen {

// The longest: "106751991167 days 8 h".
constexpr std::size_t max_duration_size = 24;

// Gives the size. Requires ms >= 0 and room for max_duration_size bytes.
std::size_t print_duration(std::int64_t ms, char *out) noexcept;

}  // namespace idgen
