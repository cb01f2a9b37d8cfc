#include "pg/host/own_extension.hpp"

#include "core/text/version.hpp"
#include "pg/host/rows.hpp"

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

// The schemas that were chosen for our extensions, each once, by their OIDs.
List *chosen_schemas() {
    List *schemas = NIL;
    scan_catalog(ExtensionRelationId, InvalidOid, nullptr, 0, [&schemas](HeapTuple row, TupleDesc) {
        const auto &extension = form_of<FormData_pg_extension>(row);
        for (const char *ours : {"idgen", "idgen_kinds", "idgen_lease"})
            if (strcmp(NameStr(extension.extname), ours) == 0)
                schemas = list_append_unique_oid(schemas, extension.extnamespace);
        return true;
    });
    list_sort(schemas, list_oid_cmp);
    return schemas;
}

bool is_ordinary(Oid role, Oid owner) {
    return role == ACL_ID_PUBLIC || (!superuser_arg(role) && !has_privs_of_role(role, owner) &&
                                     !has_privs_of_role(role, ROLE_PG_DATABASE_OWNER));
}

void append_to_list(StringInfo list, const char *separator, const char *text) {
    appendStringInfo(list, "%s%s", list->len == 0 ? "" : separator, text);
}

// The texts that an OpenSchemas is made of.
struct Findings {
    StringInfo closed = makeStringInfo(), open = makeStringInfo(), revoke = makeStringInfo();
};

// What the rights on a schema, which others than its owner have, leave open.
void look_at_rights(Oid owner, const char *name, Acl *rights, bool is_chosen, Findings &findings) {
    StringInfo roles = makeStringInfo();
    bool is_passed_on = false;
    for (int i = 0; i < ACL_NUM(rights); i++) {
        const AclItem &item = ACL_DAT(rights)[i];
        if ((ACLITEM_GET_PRIVS(item) & ACL_CREATE) == 0 || !is_ordinary(item.ai_grantee, owner)) continue;
        if (!is_chosen && item.ai_grantee != ACL_ID_PUBLIC) continue;
        append_to_list(roles, ", ", item.ai_grantee == ACL_ID_PUBLIC ? "PUBLIC" : role_name(item.ai_grantee));
        is_passed_on |= item.ai_grantor != owner;
    }
    if (roles->len == 0) return;
    append_to_list(findings.open, ", ", psprintf("%s may create functions in %s", roles->data, name));
    append_to_list(findings.revoke, "; ",
                   psprintf("REVOKE CREATE ON SCHEMA %s FROM %s%s", name, roles->data, is_passed_on ? " CASCADE" : ""));
}

void look_at_schema(Oid oid, bool is_chosen, Findings &findings) {
    HeapTuple row = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(row)) return;
    const auto &schema = form_of<FormData_pg_namespace>(row);
    const char *name = quote_identifier(NameStr(schema.nspname));
    if (is_chosen) append_to_list(findings.closed, ", ", name);
    if (is_chosen && is_ordinary(schema.nspowner, ROLE_PG_DATABASE_OWNER)) {
        append_to_list(findings.open, ", ", psprintf("%s owns %s", role_name(schema.nspowner), name));
        append_to_list(findings.revoke, "; ", psprintf("ALTER SCHEMA %s OWNER TO CURRENT_USER", name));
    }
    bool is_null;
    Datum rights = SysCacheGetAttr(NAMESPACEOID, row, Anum_pg_namespace_nspacl, &is_null);
    if (!is_null) look_at_rights(schema.nspowner, name, DatumGetAclP(rights), is_chosen, findings);
    ReleaseSysCache(row);
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

OpenSchemas find_open_schemas() {
    Findings findings;
    List *chosen = chosen_schemas();
    for (int i = 0; i < list_length(chosen); i++) look_at_schema(list_nth_oid(chosen, i), true, findings);
    Oid common = get_namespace_oid("public", true);
    if (OidIsValid(common) && !list_member_oid(chosen, common)) {
        look_at_schema(common, false, findings);
        appendStringInfoString(findings.closed, ", nor PUBLIC in public");
    }
    return {findings.closed->data, findings.open->data, findings.revoke->data};
}

}  // namespace idgen::pg
