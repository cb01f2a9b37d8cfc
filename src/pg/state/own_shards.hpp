// The shards that this node owns, wherever idgen.shards says that they come from: the list itself, numbers
// from a registry, or the group of the node in Citus.
#pragma once

#include "core/layout/shard_set.hpp"
#include "pg/state/session.hpp"

namespace idgen::pg {

// The shards as they are now; empty where none is set, or none is held yet. Requires attach_backend(). The
// view is good until the next call. Raises where idgen.shards asks for a group that there is not.
ShardSet own_set();

// The same in words, where idgen.shards is no list itself; else null.
const char *own_numbers_text();

// How often the numbers of the pool have changed. Requires attach_backend().
uint32 changes_of_pool() noexcept;

}  // namespace idgen::pg
