// Refusals of the arguments of makers and readers.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// Shard or sequence that the layout cannot hold.
[[noreturn]] void report_part(PartReason reason, const Layout &layout, int64 shard, int64 sequence,
                              Location at = Location::here());
[[noreturn]] void report_shard_range(const Layout &layout, int64 shard, Location at = Location::here());
// An instant that the layout cannot hold.
[[noreturn]] void report_instant(TickReason reason, const Layout &layout, TimestampTz instant,
                                 Location at = Location::here());
[[noreturn]] void report_infinite_instant(const char *hint, Location at = Location::here());
[[noreturn]] void report_wrapping_bounds(const Layout &layout, Location at = Location::here());

[[noreturn]] void report_null(const char *argument, bool has_default, Location at = Location::here());
// An array argument that holds a null, or whose values do not ascend.
[[noreturn]] void report_null_element(const char *argument, Location at = Location::here());
[[noreturn]] void report_not_ascending(const char *argument, Location at = Location::here());
[[noreturn]] void report_negative_count(int64 count, Location at = Location::here());
[[noreturn]] void report_array_too_large(int64 count, int64 most, Location at = Location::here());

}  // namespace idgen::pg
