// Refusals of partition bounds.
#pragma once

#include "core/layout/calendar.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// A step, a period or a number of partitions that id_partition_bounds refuses.
[[noreturn]] void report_step(StepReason reason, const Interval *step, Location at = Location::here());
[[noreturn]] void report_reversed_period(TimestampTz from, TimestampTz to, Location at = Location::here());
[[noreturn]] void report_too_many_partitions(int64 count, int64 most, Location at = Location::here());

}  // namespace idgen::pg
