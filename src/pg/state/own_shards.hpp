// The shards that this node owns, wherever idgen.shards says that they come from: the list itself, numbers from a
// registry, or the group of the node in Citus.
#pragma once

#include "core/layout/shard_set.hpp"
#include "pg/number/numbers.hpp"
#include "pg/report/refusal.hpp"

namespace idgen::pg {

// Room for shards that idgen.shards does not list, each a range of its own.
struct OwnRoom {
    ShardRange numbers[max_leases];
};

// The shards as they are now; empty if none is set, or none is held yet. A view of the room or of idgen.shards. Raises if
// idgen.shards is citus and this node has no group.
ShardSet own_set(SharedLeases &leases, OwnRoom &room);

// The same in words, if idgen.shards itself is not a list; else null.
const char *own_numbers_text();

// Why this session has no shards, and what gives it some.
Refusal refusal_of_none();

// idgen.shards as it was written, and what set it: "5", set by ALTER DATABASE app; by palloc.
const char *shards_with_origin();

// Whether idgen.shards, a list, is stored where Citus copies it to nodes that must not have the same: it copies ALTER
// DATABASE ... SET and ALTER ROLE ... SET to all of its nodes, ALTER SYSTEM to none. 'citus' and 'lease' mean other
// numbers on each node.
bool are_shards_copied();

}  // namespace idgen::pg
