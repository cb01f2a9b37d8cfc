// How far ahead of the clock a time may lie, and how long a call may wait for it, as errors say it.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

struct WaitLimits {
    int64 max_lead_ms;
    int64 max_wait_ms;
};

}  // namespace idgen::pg
