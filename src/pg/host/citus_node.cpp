#include "pg/host/citus_node.hpp"

#include "pg/host/rows.hpp"

namespace idgen::pg {
namespace {

constexpr int32 no_group = -1;

constexpr const char *group_table = "pg_dist_local_group";
constexpr const char *node_table = "pg_dist_node";

// A table of pg_catalog; null if there is none.
Relation open_table(const char *name) {
    Oid oid = get_relname_relid(name, PG_CATALOG_NAMESPACE);
    Relation table = OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : nullptr;
    if (table == nullptr || table->rd_rel->relkind == RELKIND_RELATION) return table;
    relation_close(table, AccessShareLock);
    return nullptr;
}

void close_table(Relation table) {
    if (table != nullptr) relation_close(table, AccessShareLock);
}

// What the tables say, which may be null, as of a snapshot; null: as of now.

// The group that the server has; negative if there is none.
int32 group_in(Relation groups, Snapshot snapshot) {
    int32 group = no_group;
    if (groups == nullptr) return group;
    scan(groups, InvalidOid, nullptr, 0, snapshot, [&](HeapTuple row) {
        bool is_null;
        Datum value = column_of(row, RelationGetDescr(groups), 1, &is_null);
        if (!is_null) group = DatumGetInt32(value);
        return false;
    });
    return group;
}

// Whether the server knows the nodes of its cluster. True if it has no list of nodes.
bool knows_nodes(Relation nodes, Snapshot snapshot) {
    if (nodes == nullptr) return true;
    bool has_row = false;
    scan(nodes, InvalidOid, nullptr, 0, snapshot, [&has_row](HeapTuple) {
        has_row = true;
        return false;
    });
    return has_row;
}

// Where pg_dist_node says what is a clone. Upgrades of Citus add columns, so their numbers differ.
struct CloneColumns {
    Oid table;
    AttrNumber node, group, is_clone, origin;
};

// False before Citus 13.2.
bool find_columns(CloneColumns &columns) {
    Oid nodes = get_relname_relid(node_table, PG_CATALOG_NAMESPACE);
    if (!OidIsValid(nodes)) return false;
    columns = {nodes, get_attnum(nodes, "nodeid"), get_attnum(nodes, "groupid"), get_attnum(nodes, "nodeisclone"),
               get_attnum(nodes, "nodeprimarynodeid")};
    return columns.node > 0 && columns.group > 0 && columns.is_clone > 0 && columns.origin > 0;
}

// A column of type integer or boolean; 0 if it is null.
int32 number_of(HeapTuple row, TupleDesc desc, AttrNumber column) {
    bool is_null;
    Datum value = column_of(row, desc, column, &is_null);
    return is_null ? 0 : DatumGetInt32(value);
}

// Appends a column of the rows that match to a list.
template <class Match>
List *column_where(Relation nodes, AttrNumber column, Match matches) {
    List *found = NIL;
    TupleDesc desc = RelationGetDescr(nodes);
    scan(nodes, InvalidOid, nullptr, 0, nullptr, [&](HeapTuple row) {
        if (matches(row, desc)) found = lappend_int(found, number_of(row, desc, column));
        return true;
    });
    return found;
}

// Whether a node of this server's group is the origin of a clone. The group is read last: if Citus has given the clone
// its own meanwhile, no node of that is one.
bool has_origin(Relation nodes, const CloneColumns &columns) {
    List *origins = column_where(nodes, columns.origin, [&columns](HeapTuple row, TupleDesc desc) {
        return number_of(row, desc, columns.is_clone) != 0;
    });
    if (origins == NIL) return false;
    Relation groups = open_table(group_table);
    int32 group = group_in(groups, nullptr);
    close_table(groups);
    List *own = column_where(nodes, columns.node, [&columns, group](HeapTuple row, TupleDesc desc) {
        return number_of(row, desc, columns.group) == group && number_of(row, desc, columns.is_clone) == 0;
    });
    List *both = list_intersection_int(own, origins);
    bool is_found = both != NIL;
    list_free(own);
    list_free(origins);
    list_free(both);
    return is_found;
}

}  // namespace

bool has_clone() {
    CloneColumns columns;
    Relation nodes = find_columns(columns) ? open_table(node_table) : nullptr;
    if (nodes == nullptr) return false;
    bool is_found = has_origin(nodes, columns);
    relation_close(nodes, AccessShareLock);
    return is_found;
}

bool may_have_clone() {
    CloneColumns columns;
    if (!find_columns(columns)) return false;
    Oid groups = get_relname_relid(group_table, PG_CATALOG_NAMESPACE);
    if (!OidIsValid(groups)) return false;
    if (!ConditionalLockRelationOid(groups, AccessShareLock)) return true;
    bool is_free = ConditionalLockRelationOid(columns.table, AccessShareLock);
    bool is_possible = !is_free || has_clone();
    if (is_free) UnlockRelationOid(columns.table, AccessShareLock);
    UnlockRelationOid(groups, AccessShareLock);
    return is_possible;
}

CitusNode citus_node() {
    Relation groups = open_table(group_table);
    int32 group = group_in(groups, nullptr);
    CitusState state = CitusState::member;
    // Group 0 is a server's own only beside nodes. Citus changes both in one transaction: so one look at both, once the
    // list is not locked by who empties it.
    if (group == 0) {
        Relation nodes = open_table(node_table);
        Snapshot snapshot = RegisterSnapshot(GetCatalogSnapshot(RelationGetRelid(groups)));
        group = group_in(groups, snapshot);
        if (group == 0 && !knows_nodes(nodes, snapshot)) state = CitusState::unjoined;
        UnregisterSnapshot(snapshot);
        close_table(nodes);
    }
    close_table(groups);
    return {group < 0 ? CitusState::absent : state, static_cast<uint32>(Max(group, 0))};
}

Refusal refusal_of_group(CitusState state) {
    switch (state) {
        case CitusState::member:
        case CitusState::absent:
            break;
        case CitusState::unjoined:
            return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "this node is in no cluster of Citus yet",
                    "idgen.shards is \"citus\". Each server begins with the group 0, which is the coordinator's.",
                    "On the coordinator call citus_add_node() for a worker, citus_set_coordinator_host() for itself.",
                    "shards"};
        case CitusState::doubtful:
            return {
                ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                "this server may be a clone with the group of its origin in Citus",
                "idgen.shards is \"citus\", this server was promoted or restored, and pg_dist_node has a clone of the node of its group. If it is that clone, it and its origin would make the same IDs.",
                "Wait until citus_promote_clone_and_rebalance() has committed. If this server is the origin or has replaced it, call citus_remove_clone_node() on the coordinator.",
                "shards"};
    }
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "this node has no group in Citus",
            "idgen.shards is \"citus\", and the table pg_dist_local_group of this database is missing or empty.",
            "CREATE EXTENSION citus in this database; or set idgen.shards to a shard that no other node has.",
            "shards"};
}

}  // namespace idgen::pg
