// Random bytes from the server's strong source, fetched by the page: one at a time they would cost a hundred times as
// much. The page belongs to one process, and every byte is given out once.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Fills in random bytes. Raises if the source fails.
void fill_random(void *out, size_t size);

}  // namespace idgen::pg
