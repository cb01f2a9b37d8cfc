// Reads rows of the server's catalogs, and of tables that stand among them.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// A column of a row. Not by heap_getattr(), which is inlined: as 15.20 has it, it calls a function of the server that
// 15.18 lacks.
inline Datum column_of(HeapTuple row, TupleDesc desc, int number, bool *is_null) {
    return SPI_getbinval(row, desc, number, is_null);
}

// The row itself, if all of its columns before the first of variable length are meant.
template <class Form>
const Form &form_of(HeapTuple row) {
    return *reinterpret_cast<const Form *>(GETSTRUCT(row));
}

inline ScanKeyData oid_is(AttrNumber column, Oid value) {
    ScanKeyData key;
    ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
    return key;
}

// Calls visit(row) for the rows that an index finds by its keys, or for all if it is invalid; until it returns false.
template <class Visit>
void scan(Relation relation, Oid index, ScanKeyData *keys, int count, Snapshot snapshot, Visit visit) {
    SysScanDesc found = systable_beginscan(relation, index, OidIsValid(index), snapshot, count, keys);
    for (HeapTuple row; HeapTupleIsValid(row = systable_getnext(found)) && visit(row);) continue;
    systable_endscan(found);
}

// The same for a catalog, with visit(row, desc), and as the current command sees it.
template <class Visit>
void scan_catalog(Oid catalog, Oid index, ScanKeyData *keys, int count, Visit visit) {
    Relation relation = table_open(catalog, AccessShareLock);
    scan(relation, index, keys, count, nullptr, [&](HeapTuple row) { return visit(row, RelationGetDescr(relation)); });
    table_close(relation, AccessShareLock);
}

// As an SQL identifier. One that is gone meanwhile has a number.
inline const char *identifier_of(const char *name, Oid oid) {
    return name == nullptr ? psprintf("\"%u\"", oid) : quote_identifier(name);
}
inline const char *role_name(Oid role) {
    return identifier_of(GetUserNameFromId(role, true), role);
}

}  // namespace idgen::pg
