// What stops a draw: ticks that are full, or borrowed by others, a clock that is behind, IDs observed
// elsewhere.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/report/location.hpp"
#include "pg/report/wait_limits.hpp"

namespace idgen::pg {

// What stopped a draw. Times are unix ms.
struct Stopped {
    const Layout *layout;
    uint32 shard;
    int64 now_ms;
    int64 tick_start_ms;  // of the tick that was refused
    int64 waited_ms;
};
[[noreturn]] void report_full(const Stopped &stopped, Location at = Location::here());
[[noreturn]] void report_borrowed(const Stopped &stopped, const WaitLimits &limits, Location at = Location::here());
[[noreturn]] void report_clock_behind(const Stopped &stopped, const WaitLimits &limits, Location at = Location::here());

// An ID observed elsewhere that the layout cannot have made, or that lies too far ahead of the clock.
[[noreturn]] void report_observed_id(const Layout &layout, int64 id, Location at = Location::here());
[[noreturn]] void report_observed_ahead(const Layout &layout, int64 id, int64 lead_ms, const WaitLimits &limits,
                                        Location at = Location::here());

}  // namespace idgen::pg
