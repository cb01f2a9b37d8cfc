// What the log is told without anything failing: level LOG, which clients do not see. Not for every time: ask
// may_log first.
#pragma once

#include "core/layout/layout.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// The clock was set, forward or back; what IDs make of it depends on the two settings.
void log_clock_step(int64 step_ms, int64 max_lead_ms, int64 max_jump_ms, Location at = Location::here());
void log_shard_full(const Layout &layout, uint32 shard, int64 full_ms, Location at = Location::here());
void log_horizon_behind(int64 horizon_ms, int64 behind_ms, Location at = Location::here());
// A copy of another server's database that keeps its shards; a standby that was promoted.
void log_copy(int64 origin, Location at = Location::here());
void log_promoted(Location at = Location::here());
// A kind that rises goes on at a clock so far behind the last value.
void log_order_anew(const char *kind, int64 now_ms, int64 behind_ms, Location at = Location::here());

}  // namespace idgen::pg
