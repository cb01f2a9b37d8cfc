#include "pg/host/release.hpp"

#include "core/text/version.hpp"
#include "pg/host/catalog.hpp"

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
    ScanKeyData key = oid_is(Anum_pg_extension_oid, oid);
    const char *version = nullptr;
    scan_catalog(ExtensionRelationId, ExtensionOidIndexId, &key, 1, [&version](HeapTuple row, TupleDesc desc) {
        bool is_null;
        Datum value = column_of(row, desc, Anum_pg_extension_extversion, &is_null);
        if (!is_null) version = TextDatumGetCString(value);
        return false;
    });
    return version;
}

}  // namespace idgen::pg
