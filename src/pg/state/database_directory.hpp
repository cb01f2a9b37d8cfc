// Which entry belongs to which database: locks, the server's catalog, and errors around the directory.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// The entry of this session's database, made for its first session; notes in the session's own that it has
// it.
SharedDatabase *my_database(SharedState *state, SharedBackend &backend);

// The same, null where no session has needed one.
SharedDatabase *find_database(SharedState *state) noexcept;

// Frees what belongs to databases that no longer exist. True where there was any.
bool free_dropped_databases(SharedState *state);

}  // namespace idgen::pg
