#include "pg/host/release.hpp"

#include "core/text/version.hpp"
#include "pg/host/row.hpp"

namespace idgen::pg {

const char *library_version() noexcept {
    return IDGEN_VERSION;
}

bool is_library_at_least(const char *version) noexcept {
    Version wanted, own;
    return parse_version(version, wanted) && parse_version(IDGEN_VERSION, own) && !(own < wanted);
}

const char *extension_version() {
    Oid oid = get_extension_oid("idgen", true);
    if (!OidIsValid(oid)) return nullptr;
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
    Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(extensions, ExtensionOidIndexId, true, nullptr, 1, &key);
    HeapTuple row = systable_getnext(scan);
    const char *version = nullptr;
    bool is_null = true;
    if (HeapTupleIsValid(row)) {
        Datum value = column_of(row, RelationGetDescr(extensions), Anum_pg_extension_extversion, &is_null);
        if (!is_null) version = TextDatumGetCString(value);
    }
    systable_endscan(scan);
    table_close(extensions, AccessShareLock);
    return version;
}

}  // namespace idgen::pg
