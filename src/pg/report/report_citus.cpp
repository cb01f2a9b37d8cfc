#include "pg/report/report_citus.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

int message_of(CitusState state) {
    switch (state) {
        case CitusState::member:
        case CitusState::absent:
            break;
        case CitusState::unjoined:
            return errmsg("this node is in no cluster of Citus yet");
        case CitusState::doubtful:
            return errmsg("this server may be a clone with the group of its origin in Citus");
    }
    return errmsg("this node has no group in Citus");
}

int detail_of(CitusState state) {
    switch (state) {
        case CitusState::member:
        case CitusState::absent:
            break;
        case CitusState::unjoined:
            return errdetail(
                "idgen.shards is \"citus\". Each server begins with the group 0, which is the "
                "coordinator's.");
        case CitusState::doubtful:
            return errdetail(
                "idgen.shards is \"citus\", this server was promoted or restored, and pg_dist_node has a "
                "clone of the node of its group. If it is that clone, it and its origin would make the "
                "same IDs.");
    }
    return errdetail(
        "idgen.shards is \"citus\", and the table pg_dist_local_group of this database is missing or "
        "empty.");
}

}  // namespace

const char *remedy_for(CitusState state) {
    switch (state) {
        case CitusState::member:
            break;
        case CitusState::absent:
            return "CREATE EXTENSION citus in this database; or set idgen.shards to a number that no other "
                   "node has.";
        case CitusState::unjoined:
            return "On the coordinator call citus_add_node() for a worker, citus_set_coordinator_host() for "
                   "itself.";
        case CitusState::doubtful:
            return "Wait until citus_promote_clone_and_rebalance() has committed. If this server is the "
                   "origin or has replaced it, call citus_remove_clone_node() on the coordinator.";
    }
    return nullptr;
}

void report_no_citus(CitusState state, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), message_of(state), detail_of(state),
                errhint("%s", remedy_for(state))));
}

void report_group_range(const Layout &layout, uint32 group, int region, Location at) {
    LayoutName name(layout);
    uint32 last = mask32(region == 0 ? layout.node_bits() : layout.shard_bits);
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("group %u of this node in Citus is too large for layout \"%s\"", group, name.text),
                region == 0 ? errdetail("idgen.shards is \"citus\"; the layout has the shards 0 to %u.", last)
                            : errdetail("idgen.shards is \"citus\", idgen.region is %d; the layout has the shards 0 "
                                        "to %u in each region.",
                                        region, last),
                region == 0 ? errhint("Use a layout with more shards, or give each node a shard of its own, such "
                                      "as: ALTER SYSTEM SET idgen.shards = '5'; SELECT pg_reload_conf().")
                            : errhint("Use a layout with more shards, or set idgen.region to 0.")));
}

}  // namespace idgen::pg
