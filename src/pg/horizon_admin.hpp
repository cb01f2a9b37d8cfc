// Moves the durable horizon by hand: first at CREATE EXTENSION, forward, and back. Each is durable when it
// returns, on the synchronous standbys too.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Writes the first record of a new horizon: now, and above what this server has granted here before.
void create_horizon(Oid schema);

// Raises the floor of every slot, and H: when it returns, no ID that starts below `at_ms` will be made.
void advance_horizon(Oid schema, int64 at_ms);

// Lowers floor, slots and H to `at_ms`, and takes the clock for right. Requires that no ID starts at or after
// it.
void reset_horizon(Oid schema, int64 at_ms);

}  // namespace idgen::pg
