// Whether the group that idgen.shards = 'citus' stands for is this server's own.
//
// Citus promotes a clone before it gives it a group. Until that commits, the clone has the group of its origin, which
// goes on making IDs. What each says of itself is the same, but for the horizon: the origin's was written by the
// origin, the clone's by another than the clone. A server that has truly replaced its primary looks like a clone while
// one is registered.
#pragma once

#include "core/layout/layout.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Raises if a maker with that layout draws from a group that may be another server's. A registry knows, so with one
// this asks nothing.
void require_own_group(const Layout &layout);

}  // namespace idgen::pg
