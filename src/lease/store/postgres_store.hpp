// A registry in a PostgreSQL: the calls of idgen_registry (docs/registry.md) by libpq.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

bool open_postgres(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

}  // namespace idgen::lease
