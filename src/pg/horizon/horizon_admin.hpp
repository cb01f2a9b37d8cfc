// Moves the durable horizon by hand, in the order that the core says (core/draw/moves.hpp): first at CREATE EXTENSION,
// forward, and back. A move is durable when it returns, on the synchronous standbys too.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Writes the first record of a new horizon: above the clock and the last checkpoint by the longest lead, and above what
// this server has granted here before. Raises if the clock is far behind the checkpoint.
void create_horizon();

// Writes the first record of the generators, above what this server has taken in this database before.
void create_generators();

// Raises the floor of every slot, and H: when it returns, no ID that starts below `at_ms` will be made.
void advance_horizon(int64 at_ms);

// Lowers floor, slots and H to `at_ms`, and takes the clock for right; 0: to where that is safe. Raises if more is known
// to lie above, or may, unless it is forced. Gives the instant.
int64 reset_horizon(int64 at_ms, bool is_forced);

// Takes the shards of a copy for this server's own. Requires that no other server makes IDs of them.
void confirm_shards();

}  // namespace idgen::pg
