// What keeps the durable horizon from being renewed, or a generator from being taken.
#pragma once

#include "core/durable/renewal.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// What no waiting helps against, and what was waited for too long, which is `waited_ms`.
[[noreturn]] void report_refused(const Outcome &outcome, Record kind, Location at = Location::here());
[[noreturn]] void report_not_renewed(Renewal renewal, Record kind, int64 waited_ms, Location at = Location::here());

[[noreturn]] void report_bad_horizon(TimestampTz instant, Location at = Location::here());
// Calls that can make duplicates.
enum class RiskyCall : uint8 { reset, confirm_shards };
[[noreturn]] void report_not_superuser(RiskyCall call, Location at = Location::here());
// CREATE EXTENSION under a clock that is behind the server's last checkpoint.
[[noreturn]] void report_checkpoint_ahead(int64 checkpoint_ms, int64 now_ms, Location at = Location::here());

}  // namespace idgen::pg
