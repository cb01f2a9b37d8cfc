// Which entry belongs to which database. Locking: see shared_state.hpp.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// The entry of a database, null where there is none. Requires SharedState::lock.
SharedDatabase *find_database_locked(SharedState *state, Oid oid) noexcept;

// The entry of this session's database, made for its first session; notes in the session's own that it has
// it.
SharedDatabase *my_database(SharedState *state, SharedBackend &backend);

// The same, null where no session has needed one.
SharedDatabase *find_database(SharedState *state) noexcept;

// The instant below which all IDs lie that the database made since the start.
int64 reached_ms(SharedState *state, const SharedDatabase &database) noexcept;

// Frees what belongs to databases that no longer exist. True where there was any.
bool free_dropped_databases(SharedState *state);

}  // namespace idgen::pg
