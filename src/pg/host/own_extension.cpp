#include "pg/host/own_extension.hpp"

#include "core/text/version.hpp"
#include "pg/host/catalog.hpp"

namespace idgen::pg {
namespace {

// The schema among the members of an extension.
Oid find_own_schema(Oid extension) {
    ScanKeyData keys[] = {oid_is(Anum_pg_depend_refclassid, ExtensionRelationId),
                          oid_is(Anum_pg_depend_refobjid, extension)};
    Oid found = InvalidOid;
    scan_catalog(DependRelationId, DependReferenceIndexId, keys, lengthof(keys), [&found](HeapTuple row, TupleDesc) {
        const auto &member = form_of<FormData_pg_depend>(row);
        bool is_schema = member.classid == NamespaceRelationId && member.deptype == DEPENDENCY_EXTENSION;
        if (is_schema) found = member.objid;
        return !is_schema;
    });
    return found;
}

}  // namespace

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
