// A tick that lies ahead of a clock that is well: why, and what to do.
#pragma once

#include "core/durable/horizon.hpp"
#include "pg/report/report_draw.hpp"

namespace idgen::pg {

// What was refused: the next ID of a shard, or the next HLC timestamp.
struct Refused {
    const Stopped &stopped;
    int64 wait_ms;  // until the clock would admit it
    bool is_hlc;
};

// Requires a reason other than the clock and a full tick of a shard.
[[noreturn]] void report_ahead(Ahead why, const Refused &refused, const WaitLimits &limits,
                               Location at = Location::here());

}  // namespace idgen::pg
