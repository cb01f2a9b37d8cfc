// Takes DecimalIds (core/kinds/decimal_id.hpp): a counter of the database from shared memory, and where there
// is none, a generator first. No lock is held while anything is waited for.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Takes one ID. Waits, asleep, and raises as settings say; raises where no generator is left.
int64 draw_decimal();

}  // namespace idgen::pg
