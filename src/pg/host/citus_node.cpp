#include "pg/host/citus_node.hpp"

#include "pg/host/row.hpp"

namespace idgen::pg {
namespace {

constexpr int32 no_group = -1;

// A table of pg_catalog; null where there is none.
Relation open_table(const char *name) {
    Oid oid = get_relname_relid(name, PG_CATALOG_NAMESPACE);
    Relation table = OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : nullptr;
    if (table == nullptr || table->rd_rel->relkind == RELKIND_RELATION) return table;
    relation_close(table, AccessShareLock);
    return nullptr;
}

// Calls visit(row) for the first row; its answer, or what is said where there is no row.
template <class Visit>
int32 visit_first(Relation table, int32 without, Visit visit) {
    SysScanDesc scan = systable_beginscan(table, InvalidOid, false, nullptr, 0, nullptr);
    HeapTuple row = systable_getnext(scan);
    int32 answer = HeapTupleIsValid(row) ? visit(row) : without;
    systable_endscan(scan);
    relation_close(table, AccessShareLock);
    return answer;
}

// The group that the server has; negative where there is none.
int32 local_group() {
    Relation groups = open_table("pg_dist_local_group");
    if (groups == nullptr) return no_group;
    return visit_first(groups, no_group, [groups](HeapTuple row) {
        bool is_null;
        Datum group = column_of(row, RelationGetDescr(groups), 1, &is_null);
        return is_null ? no_group : DatumGetInt32(group);
    });
}

// Whether the server knows the nodes of its cluster. True where it has no list of nodes.
bool knows_nodes() {
    Relation nodes = open_table("pg_dist_node");
    return nodes == nullptr || visit_first(nodes, 0, [](HeapTuple) { return 1; }) != 0;
}

}  // namespace

CitusNode citus_node() {
    int32 group = local_group();
    if (group < 0) return {CitusState::absent, 0};
    if (group == 0 && !knows_nodes()) return {CitusState::unjoined, 0};
    return {CitusState::member, static_cast<uint32>(group)};
}

}  // namespace idgen::pg
