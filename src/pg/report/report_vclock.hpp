// Refusals of vector clocks.
#pragma once

#include <string_view>

#include "pg/report/location.hpp"

namespace idgen::pg {

// A value that is no vector clock, and a counter that is none or cannot rise.
enum class CounterProblem { no_number, not_whole, negative, too_large, at_end };
[[noreturn]] void report_no_vclock(Jsonb *value, Location at = Location::here());
[[noreturn]] void report_counter(std::string_view node, CounterProblem problem, Location at = Location::here());

}  // namespace idgen::pg
