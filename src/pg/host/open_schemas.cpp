#include "pg/host/open_schemas.hpp"

#include "pg/host/catalog.hpp"

namespace idgen::pg {
namespace {

bool is_of_everyday_names(const char *extension) {
    return strcmp(extension, "idgen") == 0 || strcmp(extension, "idgen_kinds") == 0 ||
           strcmp(extension, "idgen_lease") == 0;
}

// The schemas that were chosen for our extensions, each once, by their OIDs.
List *chosen_schemas() {
    List *schemas = NIL;
    scan_catalog(ExtensionRelationId, InvalidOid, nullptr, 0, [&schemas](HeapTuple row, TupleDesc) {
        const auto &extension = form_of<FormData_pg_extension>(row);
        if (is_of_everyday_names(NameStr(extension.extname)))
            schemas = list_append_unique_oid(schemas, extension.extnamespace);
        return true;
    });
    list_sort(schemas, list_oid_cmp);
    return schemas;
}

bool is_ordinary(Oid role, Oid owner) {
    if (role == ACL_ID_PUBLIC) return true;
    return !superuser_arg(role) && !has_privs_of_role(role, owner) && !has_privs_of_role(role, ROLE_PG_DATABASE_OWNER);
}

const char *grantee_of(const AclItem &item) {
    return item.ai_grantee == ACL_ID_PUBLIC ? "PUBLIC" : role_name(item.ai_grantee);
}

void append_to_list(StringInfo list, const char *separator, const char *text) {
    appendStringInfo(list, "%s%s", list->len == 0 ? "" : separator, text);
}

// The texts that an OpenSchemas is made of.
struct Findings {
    StringInfoData closed, open, revoke;
};

// What the rights on a schema, which others than its owner have, leave open.
void look_at_rights(const FormData_pg_namespace &schema, Acl *rights, bool is_chosen, Findings &findings) {
    StringInfoData roles;
    initStringInfo(&roles);
    bool is_passed_on = false;
    for (int i = 0; i < ACL_NUM(rights); i++) {
        const AclItem &item = ACL_DAT(rights)[i];
        if ((ACLITEM_GET_PRIVS(item) & ACL_CREATE) == 0 || !is_ordinary(item.ai_grantee, schema.nspowner)) continue;
        if (!is_chosen && item.ai_grantee != ACL_ID_PUBLIC) continue;
        append_to_list(&roles, ", ", grantee_of(item));
        is_passed_on |= item.ai_grantor != schema.nspowner;
    }
    if (roles.len == 0) return;
    const char *name = quote_identifier(NameStr(schema.nspname));
    append_to_list(&findings.open, ", ", psprintf("%s may create functions in %s", roles.data, name));
    append_to_list(&findings.revoke, "; ",
                   psprintf("REVOKE CREATE ON SCHEMA %s FROM %s%s", name, roles.data, is_passed_on ? " CASCADE" : ""));
}

void look_at_schema(Oid oid, bool is_chosen, Findings &findings) {
    HeapTuple row = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(row)) return;
    const auto &schema = form_of<FormData_pg_namespace>(row);
    if (is_chosen) append_to_list(&findings.closed, ", ", quote_identifier(NameStr(schema.nspname)));
    bool is_null;
    Datum rights = SysCacheGetAttr(NAMESPACEOID, row, Anum_pg_namespace_nspacl, &is_null);
    if (!is_null) look_at_rights(schema, DatumGetAclP(rights), is_chosen, findings);
    ReleaseSysCache(row);
}

}  // namespace

OpenSchemas find_open_schemas() {
    Findings findings;
    initStringInfo(&findings.closed);
    initStringInfo(&findings.open);
    initStringInfo(&findings.revoke);
    List *chosen = chosen_schemas();
    for (int i = 0; i < list_length(chosen); i++) look_at_schema(list_nth_oid(chosen, i), true, findings);
    Oid common = get_namespace_oid("public", true);
    if (OidIsValid(common) && !list_member_oid(chosen, common)) {
        look_at_schema(common, false, findings);
        appendStringInfoString(&findings.closed, ", nor PUBLIC in public");
    }
    return {findings.closed.data, findings.open.data, findings.revoke.data};
}

}  // namespace idgen::pg
