// Takes DecimalIds (core/kinds/decimal_id.hpp): a counter of the database from shared memory, and where there
// is none, a generator whose taking is made durable first: written, flushed, acknowledged by the synchronous
// standbys, in this order, as with the horizon. No lock is held while anything is waited for.
#pragma once

#include "core/kinds/decimal_id.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Takes one ID. Waits, asleep, and raises as settings say; raises where no generator is left.
int64 draw_decimal(Oid schema);

// Writes the first record of the generators, above what this server has taken in this database before.
void create_generators(Oid schema);

}  // namespace idgen::pg
