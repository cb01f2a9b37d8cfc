// What the clock of this machine is refused for.
#pragma once

#include "pg/report/location.hpp"

namespace idgen::pg {

[[noreturn]] void report_clock_jumped(int64 jump_ms, int64 max_jump_ms, Location at = Location::here());
[[noreturn]] void report_clock_not_synchronised(Location at = Location::here());
void warn_clock_not_synchronised(Location at = Location::here());
// It is synchronised, and may still be wrong by more than idgen.clock_error.
[[noreturn]] void report_clock_uncertain(int64 error_ms, int64 limit_ms, Location at = Location::here());
void warn_clock_uncertain(int64 error_ms, int64 limit_ms, Location at = Location::here());

// What keeps an instant from being past for certain.
[[noreturn]] void report_no_clock_bounds(Location at = Location::here());
[[noreturn]] void report_not_past(TimestampTz instant, int64 left_ms, int64 waited_ms, int64 max_wait_ms,
                                  Location at = Location::here());
[[noreturn]] void report_never_past(Location at = Location::here());

}  // namespace idgen::pg
