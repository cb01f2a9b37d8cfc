#include "pg/host/stored_settings.hpp"

#include "pg/host/row.hpp"

namespace idgen::pg {
namespace {

// Whether an entry "name=value" gives the setting a value.
bool gives_value(const char *entry, const char *name) {
    size_t size = strlen(name);
    return pg_strncasecmp(entry, name, size) == 0 && entry[size] == '=' && entry[size + 1] != '\0';
}

bool holds_setting(HeapTuple tuple, TupleDesc desc, const char *name) {
    bool is_null;
    Datum config = column_of(tuple, desc, Anum_pg_db_role_setting_setconfig, &is_null);
    if (is_null) return false;
    Datum *entries;
    int count;
    deconstruct_array(DatumGetArrayTypeP(config), TEXTOID, -1, false, TYPALIGN_INT, &entries, nullptr,
                      &count);
    for (int i = 0; i < count; i++)
        if (gives_value(TextDatumGetCString(entries[i]), name)) return true;
    return false;
}

}  // namespace

bool is_setting_stored(const char *name) {
    Relation relation = table_open(DbRoleSettingRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, nullptr, 0, nullptr);
    bool stored = false;
    for (HeapTuple tuple; !stored && HeapTupleIsValid(tuple = systable_getnext(scan));) {
        auto *row = reinterpret_cast<Form_pg_db_role_setting>(GETSTRUCT(tuple));
        bool is_ours = (row->setdatabase == MyDatabaseId || row->setdatabase == InvalidOid) &&
                       (row->setrole == GetSessionUserId() || row->setrole == InvalidOid);
        stored = is_ours && holds_setting(tuple, RelationGetDescr(relation), name);
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    return stored;
}

}  // namespace idgen::pg
