#include "pg/host/stored_settings.hpp"

#include "pg/host/catalog.hpp"

namespace idgen::pg {
namespace {

// The value that an entry "name=value" gives the setting; null: none.
const char *value_in(const char *entry, const char *name) {
    size_t size = strlen(name);
    bool is_of = pg_strncasecmp(entry, name, size) == 0 && entry[size] == '=' && entry[size + 1] != '\0';
    return is_of ? entry + size + 1 : nullptr;
}

const char *value_of(HeapTuple tuple, TupleDesc desc, const char *name) {
    bool is_null;
    Datum config = column_of(tuple, desc, Anum_pg_db_role_setting_setconfig, &is_null);
    if (is_null) return nullptr;
    Datum *entries;
    int count;
    deconstruct_array(DatumGetArrayTypeP(config), TEXTOID, -1, false, TYPALIGN_INT, &entries, nullptr, &count);
    for (int i = 0; i < count; i++)
        if (const char *value = value_in(TextDatumGetCString(entries[i]), name)) return value;
    return nullptr;
}

// How much a value counts for this session: the server asks for the larger first; 0: it does not.
int weight_of(const StoredSetting &stored) {
    bool is_ours = (stored.database == MyDatabaseId || stored.database == InvalidOid) &&
                   (stored.role == GetSessionUserId() || stored.role == InvalidOid);
    return is_ours ? 1 + (OidIsValid(stored.database) ? 1 : 0) + (OidIsValid(stored.role) ? 2 : 0) : 0;
}

// Calls look(stored) for each value of that name.
template <class Look>
void for_each_stored(const char *name, Look look) {
    scan_catalog(DbRoleSettingRelationId, InvalidOid, nullptr, 0, [&](HeapTuple row, TupleDesc desc) {
        const auto &stored = form_of<FormData_pg_db_role_setting>(row);
        const char *value = value_of(row, desc, name);
        if (value != nullptr) look(StoredSetting{stored.setdatabase, stored.setrole, value});
        return true;
    });
}

const char *role_of(const StoredSetting &stored) {
    if (!OidIsValid(stored.role)) return "ALL";
    return role_name(stored.role);
}

const char *database_of(const StoredSetting &stored) {
    return identifier_of(get_database_name(stored.database), stored.database);
}

}  // namespace

bool is_setting_stored(const char *name) {
    bool is_stored = false;
    for_each_stored(name, [&](const StoredSetting &stored) { is_stored |= weight_of(stored) != 0; });
    return is_stored;
}

StoredSetting find_stored_setting(const char *name, bool (*is_meant)(const char *value)) {
    StoredSetting found{};
    for_each_stored(name, [&](const StoredSetting &stored) {
        bool is_better = found.value == nullptr || weight_of(stored) > weight_of(found);
        if (is_meant(stored.value) && is_better) found = stored;
    });
    return found;
}

const char *reset_statement(const StoredSetting &stored, const char *name) {
    bool has_database = OidIsValid(stored.database);
    if (has_database && !OidIsValid(stored.role))
        return psprintf("ALTER DATABASE %s RESET %s", database_of(stored), name);
    if (has_database)
        return psprintf("ALTER ROLE %s IN DATABASE %s RESET %s", role_of(stored), database_of(stored), name);
    return psprintf("ALTER ROLE %s RESET %s", role_of(stored), name);
}

}  // namespace idgen::pg
