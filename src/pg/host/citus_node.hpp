// This node among those of Citus, by the tables of that extension in this database.
//
//      pg_dist_local_group   one row: the group of the node. Each server begins with 0, the coordinator's
//      pg_dist_node          the nodes of the cluster; a worker has rows once it was added
//
// A worker has the group of the coordinator until it is added, and so has none that counts.
#pragma once

#include "pg/report/report_citus.hpp"

namespace idgen::pg {

struct CitusNode {
    CitusState state;
    uint32 group;  // of a member
};

// Reads what the current command may see.
CitusNode citus_node();

}  // namespace idgen::pg
