// This node among those of Citus, by the tables of that extension in this database.
//
//      pg_dist_local_group   one row: the group of the node. Each server begins with 0, the coordinator's
//      pg_dist_node          the nodes of the cluster; a worker has rows once it was added
//
// A worker has the group of the coordinator until it is added, and so has none that counts.
//
// From Citus 13.2 on, pg_dist_node also has clones: standbys that are to become nodes of their own. A clone has the
// tables of its origin, and so its origin's group, until Citus has promoted it and then commits. Citus never writes to
// these tables of a clone before.
#pragma once

#include "pg/report/words.hpp"

namespace idgen::pg {

enum class CitusState : uint8 {
    member,
    absent,    // there is no table of the group, or nothing in it
    unjoined,  // the group is the one that each server begins with, and no node is known
    doubtful,  // the group may be that of the origin whose promoted clone this server is
};

// The node has no group that counts.
Refusal refusal_of_group(CitusState state);

struct CitusNode {
    CitusState state;
    uint32 group;  // of a member
};

// Reads what the current command may see.
CitusNode citus_node();

// Whether the node that this server has the group of has a clone, which may be this server.
bool has_clone();
// The same without waiting for a lock: true if one keeps it from being known.
bool may_have_clone();

}  // namespace idgen::pg
