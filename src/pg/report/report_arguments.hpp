// Refusals of the arguments of makers and readers.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/report/refusal.hpp"

namespace idgen::pg {

// Shard or sequence that the layout cannot hold.
Refusal refusal_of_shard(const Layout &layout, int64 shard);
// An instant that the layout cannot hold.
Refusal refusal_of_instant(TickReason reason, const Layout &layout, TimestampTz instant);
[[noreturn]] void report_infinite_instant(const char *hint);
[[noreturn]] void report_wrapping_bounds(const Layout &layout);

[[noreturn]] void report_null(const char *argument, bool has_default);
// An array argument that holds a null, or whose values do not ascend.
[[noreturn]] void report_null_element(const char *argument);
[[noreturn]] void report_array_too_large(int64 count, int64 most);
// A time that no HLC timestamp can hold, and the last that one can; unix ms.
Refusal refusal_of_hlc_time(int64 unix_ms, int64 last_ms);

}  // namespace idgen::pg
