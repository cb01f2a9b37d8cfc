#include "pg/host/own_schema.hpp"

namespace idgen::pg {
namespace {

// The schema among the members of an extension.
Oid find_own_schema(Oid extension) {
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(extension));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependReferenceIndexId, true, nullptr, 2, keys);
    Oid found = InvalidOid;
    for (HeapTuple row; !OidIsValid(found) && HeapTupleIsValid(row = systable_getnext(scan));) {
        const auto &member = *reinterpret_cast<Form_pg_depend>(GETSTRUCT(row));
        bool is_schema = member.classid == NamespaceRelationId && member.deptype == DEPENDENCY_EXTENSION;
        if (is_schema) found = member.objid;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return found;
}

}  // namespace

Oid OwnSchema::find_relation(const char *name) {
    if (!is_watched_)
        CacheRegisterSyscacheCallback(
            NAMESPACEOID,
            [](Datum known, auto, uint32) { *reinterpret_cast<Oid *>(DatumGetPointer(known)) = InvalidOid; },
            PointerGetDatum(&known_));
    is_watched_ = true;
    if (!OidIsValid(known_)) {
        Oid extension = get_extension_oid(extension_, true);
        if (OidIsValid(extension)) known_ = find_own_schema(extension);
    }
    return OidIsValid(known_) ? get_relname_relid(name, known_) : InvalidOid;
}

}  // namespace idgen::pg
