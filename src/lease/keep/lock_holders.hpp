// Who holds the locks that keep this process from what it needs.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::lease {

// Names each process and prepared transaction that holds a lock against writing to the relation, or against
// reading any of the database's catalogs, with the lock's mode: part of a sentence, in `memory`. Null: there
// is none. Requires a transaction.
const char *lock_holders(Oid relation, MemoryContext memory);

}  // namespace idgen::lease
