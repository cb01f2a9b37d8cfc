// Random bytes from the kernel's strong source, fetched by the page: one at a time they would cost a hundred times as
// much. The page belongs to one process, and every byte is given out once.
//
// The page of a machine that is copied with its memory is in each copy, so a page of the machine before is thrown away
// (machine.hpp). OpenSSL, which the server asks, would give each copy the same next page; the kernel is seeded anew in a
// copy, though maybe a moment later than a session asks. So if the host tells of copies, what the processor gives is
// mixed in: its random number, or else its cycle counter.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Fills in random bytes, and gives the machine in which they were fetched, the last of them. Raises if the source fails.
uint64 fill_random(void *out, size_t size);

}  // namespace idgen::pg
