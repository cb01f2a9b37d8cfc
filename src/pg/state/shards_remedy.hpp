// What gives a session shards that has none, and whether those that it has can be another node's as well.
// Citus copies ALTER DATABASE ... SET and ALTER ROLE ... SET to all of its nodes, ALTER SYSTEM to none. So a
// list is copied where it must not be; 'citus' and 'lease' mean other numbers on each node.
#pragma once

#include "pg/report/report_shards.hpp"

namespace idgen::pg {

ShardsRemedy remedy_for_no_shards();

// Whether idgen.shards, a list, is stored where Citus copies it to nodes that must not have the same.
bool are_shards_copied();

}  // namespace idgen::pg
