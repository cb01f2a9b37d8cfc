// What the keeper of a server's numbers tells the log; level LOG, which clients do not see.
#pragma once

#include "pg/report/location.hpp"

namespace idgen::pg {

// The registry knows `known_ms` of a number for which this server was granted `granted_ms`.
void warn_older_registry(int64 number, int64 granted_ms, int64 known_ms, Location at = Location::here());
// What to do then; by palloc.
const char *older_registry_hint(int64 granted_ms);

// Numbers cannot be taken or extended; IDs go on up to the horizons that were granted. And again they can.
void log_registry_away(const char *sentence, Location at = Location::here());
void log_registry_back(Location at = Location::here());

void log_number_claimed(int64 number, int64 claimed_ms, Location at = Location::here());
// After a crash.
void log_number_resumed(int64 number, int64 from_ms, Location at = Location::here());
// The numbers of this server wait after a crash; errno says why.
void log_leases_not_saved(Location at = Location::here());
// Somebody else has it, or may have it.
void log_number_lost(int64 number, Location at = Location::here());
void log_number_stopped(int64 number, int64 horizon_ms, Location at = Location::here());

// The library idgen is not loaded before idgen_lease, or is another version.
[[noreturn]] void report_no_gate(Location at = Location::here());

}  // namespace idgen::pg
