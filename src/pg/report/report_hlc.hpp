// Refusals of the hybrid logical clock. Times are unix ms.
#pragma once

#include "pg/report/location.hpp"
#include "pg/report/wait_limits.hpp"

namespace idgen::pg {

[[noreturn]] void report_no_hlc(int64 hlc, Location at = Location::here());
[[noreturn]] void report_remote_ahead(int64 remote_ms, int64 now_ms, int64 max_lead_ms, Location at = Location::here());
[[noreturn]] void report_hlc_behind(int64 now_ms, int64 hlc_ms, int64 waited_ms, const WaitLimits &limits,
                                    Location at = Location::here());
[[noreturn]] void report_hlc_time(int64 unix_ms, Location at = Location::here());
[[noreturn]] void report_hlc_logical(int64 logical, Location at = Location::here());

}  // namespace idgen::pg
