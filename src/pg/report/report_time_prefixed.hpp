// Refusals of what should become a ULID, a KSUID or an ObjectId.
#pragma once

#include "pg/report/report_text.hpp"

namespace idgen::pg {

// Bytes that are too few or too many for a value, or for its tail.
[[noreturn]] void report_bytes(const TextForm &form, size_t size, size_t wanted, Location at = Location::here());
[[noreturn]] void report_tail(const TextForm &form, size_t size, size_t wanted, Location at = Location::here());
// An instant that a value cannot hold; first and last in unix ms.
[[noreturn]] void report_stamp(const TextForm &form, TimestampTz instant, int64 first_ms, int64 last_ms,
                               Location at = Location::here());
// The same of the clock.
[[noreturn]] void report_clock_stamp(const TextForm &form, int64 now_ms, int64 first_ms, int64 last_ms,
                                     Location at = Location::here());
// A millisecond in which no ULID is left above the last.
[[noreturn]] void report_no_ulid(int64 unix_ms, Location at = Location::here());

}  // namespace idgen::pg
