// The shards that this node owns, wherever idgen.shards says that they come from: the list itself, numbers from a
// registry, or the group of the node in Citus.
#pragma once

#include "core/layout/shard_set.hpp"
#include "pg/postgres.hpp"
#include "pg/state/leases.hpp"

namespace idgen::pg {

// What gives a session shards that has none.
enum class ShardsRemedy : uint8 { alter_database, reconnect, reset, citus };

// Room for shards that idgen.shards does not list, each a range of its own.
struct OwnRoom {
    ShardRange numbers[max_leases];
};

// The shards as they are now; empty if none is set, or none is held yet. Requires attach_backend(). A view of the room
// or of idgen.shards. Raises if idgen.shards asks for a group that there is not.
ShardSet own_set(OwnRoom &room);

// The same in words, if idgen.shards itself is not a list; else null.
const char *own_numbers_text();

// How often the numbers of the pool have changed. Requires attach_backend().
uint32 changes_of_pool() noexcept;

// What gives a session shards that has none, and whether those that it has can be another node's as well. Citus copies
// ALTER DATABASE ... SET and ALTER ROLE ... SET to all of its nodes, ALTER SYSTEM to none. So a list is copied where it
// must not be; 'citus' and 'lease' mean other numbers on each node.

ShardsRemedy remedy_for_no_shards();

// Whether idgen.shards, a list, is stored where Citus copies it to nodes that must not have the same.
bool are_shards_copied();

}  // namespace idgen::pg
