// The list of numbers that a registry in a PostgreSQL knows.
#pragma once

#include <libpq-fe.h>

#include "registry/node/store/registry.hpp"

namespace idgen::lease {

// Gives a row for each number, or a single one without a number if there is none yet. Nine columns; its two values are
// the range.
extern const char *const list_sql;

// Reads those rows into the caller's memory. False if they make no sense.
bool read_list(const PGresult *rows, MemoryContext caller, Registration &registration);

// A registry in a PostgreSQL: the calls of idgen_registry (docs/registry.md) by libpq.

bool open_postgres(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

}  // namespace idgen::lease
