#include "lease/keep/record_relation.hpp"

#include <initializer_list>

#include "core/text/big_endian.hpp"

namespace idgen::lease {
namespace {

// As sql/lease/10-record.sql has them.
constexpr Oid column_types[] = {UUIDOID, INT4OID, INT8OID, INT8OID, INT8OID};
constexpr int column_count = lengthof(column_types);

bool is_table_of_records(const FormData_pg_depend &member) {
    if (member.classid != RelationRelationId || member.deptype != DEPENDENCY_EXTENSION) return false;
    const char *name = get_rel_name(member.objid);
    return name != nullptr && strcmp(name, "idgen_lease_record") == 0;
}

// Finds it among the members of the extension.
Oid find_records() {
    Oid extension = get_extension_oid("idgen_lease", true);
    if (!OidIsValid(extension)) return InvalidOid;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(extension));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependReferenceIndexId, true, nullptr, 2, keys);
    Oid found = InvalidOid;
    for (HeapTuple row; !OidIsValid(found) && HeapTupleIsValid(row = systable_getnext(scan));) {
        const auto &member = *reinterpret_cast<Form_pg_depend>(GETSTRUCT(row));
        if (is_table_of_records(member)) found = member.objid;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return found;
}

// Whether it is still what the extension made.
bool is_as_made(Relation records) noexcept {
    TupleDesc desc = RelationGetDescr(records);
    if (records->rd_rel->relkind != RELKIND_RELATION || records->rd_rel->relam != HEAP_TABLE_AM_OID ||
        desc->natts != column_count)
        return false;
    for (int i = 0; i < column_count; i++)
        if (TupleDescAttr(desc, i)->atttypid != column_types[i]) return false;
    return true;
}

RegistryIdentity identity_in(Datum datum) {
    const pg_uuid_t *uuid = DatumGetUUIDP(datum);
    return {load_big_endian<uint64>(uuid->data), load_big_endian<uint64>(uuid->data + 8)};
}

// No column is null.
LeaseRecord record_in(HeapTuple row, TupleDesc desc) {
    Datum values[column_count];
    bool nulls[column_count];
    heap_deform_tuple(row, desc, values, nulls);
    return {identity_in(values[0]), DatumGetInt32(values[1]), DatumGetInt64(values[2]),
            DatumGetInt64(values[3]), DatumGetInt64(values[4])};
}

HeapTuple row_of(const LeaseRecord &record, TupleDesc desc) {
    pg_uuid_t registry;
    store_big_endian(record.registry.high, registry.data);
    store_big_endian(record.registry.low, registry.data + 8);
    Datum values[] = {UUIDPGetDatum(&registry), Int32GetDatum(static_cast<int32>(record.number)),
                      Int64GetDatum(record.accepted), Int64GetDatum(record.proposed),
                      Int64GetDatum(record.identity)};
    bool nulls[column_count] = {};
    return heap_form_tuple(desc, values, nulls);
}

// Calls visit(row) for each, as long as it is true.
template <class Visit>
void visit_rows(Relation records, Visit visit) {
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    SysScanDesc scan = systable_beginscan(records, InvalidOid, false, snapshot, 0, nullptr);
    for (HeapTuple row; HeapTupleIsValid(row = systable_getnext(scan)) && visit(row);) {
    }
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
}

// Where a row is; invalid where there is none.
ItemPointerData place_of(Relation records, int64 identity, int64 number) {
    ItemPointerData place;
    ItemPointerSetInvalid(&place);
    visit_rows(records, [&](HeapTuple row) {
        LeaseRecord record = record_in(row, RelationGetDescr(records));
        if (record.identity == identity && record.number == number) place = row->t_self;
        return !ItemPointerIsValid(&place);
    });
    return place;
}

}  // namespace

Relation open_records(LOCKMODE mode) {
    Oid oid = find_records();
    Relation records = OidIsValid(oid) ? try_relation_open(oid, mode) : nullptr;
    if (records == nullptr || is_as_made(records)) return records;
    close_records(records);
    return nullptr;
}

void close_records(Relation records) {
    relation_close(records, NoLock);
}

uint32 copy_records(Relation records, int64 identity, LeaseRecord *rows, uint32 room) {
    uint32 count = 0;
    for (bool is_own : {true, false})
        visit_rows(records, [&](HeapTuple row) {
            LeaseRecord record = record_in(row, RelationGetDescr(records));
            if (count < room && (record.identity == identity) == is_own) rows[count++] = record;
            return count < room;
        });
    return count;
}

void put_record(Relation records, const LeaseRecord &record) {
    HeapTuple row = row_of(record, RelationGetDescr(records));
    ItemPointerData place = place_of(records, record.identity, record.number);
    if (ItemPointerIsValid(&place))
        CatalogTupleUpdate(records, &place, row);
    else
        CatalogTupleInsert(records, row);
    heap_freetuple(row);
}

void remove_record(Relation records, int64 identity, int64 number) {
    ItemPointerData place = place_of(records, identity, number);
    if (ItemPointerIsValid(&place)) CatalogTupleDelete(records, &place);
}

void remove_all_records(Relation records) {
    visit_rows(records, [&](HeapTuple row) {
        CatalogTupleDelete(records, &row->t_self);
        return true;
    });
}

}  // namespace idgen::lease
