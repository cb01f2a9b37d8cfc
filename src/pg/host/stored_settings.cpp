#include "pg/host/stored_settings.hpp"

#include "pg/host/rows.hpp"

namespace idgen::pg {
namespace {

constexpr const char *prefix = "idgen.";

bool is_of(const char *name, const char *wanted) {
    return pg_strcasecmp(name, wanted) == 0;
}

bool is_ours(const char *name) {
    return pg_strncasecmp(name, prefix, strlen(prefix)) == 0;
}

// What the server says of a value that was stored for these.
GucSource source_of(Oid database, Oid role) {
    if (OidIsValid(database)) return OidIsValid(role) ? PGC_S_DATABASE_USER : PGC_S_DATABASE;
    return OidIsValid(role) ? PGC_S_USER : PGC_S_GLOBAL;
}

// Calls look(stored) for each value that is stored for databases and roles, as entries "name=value".
template <class Look>
void for_each_in_catalog(Look look) {
    scan_catalog(DbRoleSettingRelationId, InvalidOid, nullptr, 0, [&](HeapTuple row, TupleDesc desc) {
        bool is_null;
        Datum config = column_of(row, desc, Anum_pg_db_role_setting_setconfig, &is_null);
        if (is_null) return true;
        const auto &of = form_of<FormData_pg_db_role_setting>(row);
        Datum *entries;
        int count;
        deconstruct_array(DatumGetArrayTypeP(config), TEXTOID, -1, false, TYPALIGN_INT, &entries, nullptr, &count);
        for (int i = 0; i < count; i++) {
            char *name = TextDatumGetCString(entries[i]);
            char *value = strchr(name, '=');
            if (value == nullptr) continue;
            *value++ = '\0';
            look(StoredSetting{source_of(of.setdatabase, of.setrole), of.setdatabase, of.setrole, name, value});
        }
        return true;
    });
}

// All lines of the server's files, as a reload would read them: of two with one name the later one counts.
const ConfigVariable *read_files() {
    ConfigVariable *first = nullptr, *last = nullptr;
    ParseConfigFile(ConfigFileName, true, nullptr, 0, 0, DEBUG5, &first, &last);
    ParseConfigFile(PG_AUTOCONF_FILENAME, false, nullptr, 0, 0, DEBUG5, &first, &last);
    return first;
}

bool is_last_of_its_name(const ConfigVariable *line) {
    for (const ConfigVariable *later = line->next; later != nullptr; later = later->next)
        if (later->name != nullptr && is_of(later->name, line->name)) return false;
    return true;
}

template <class Look>
void for_each_in_files(Look look) {
    for (const ConfigVariable *line = read_files(); line != nullptr; line = line->next)
        if (line->name != nullptr && is_ours(line->name) && is_last_of_its_name(line))
            look(StoredSetting{PGC_S_FILE, InvalidOid, InvalidOid, line->name, line->value});
}

// How much a value counts for this session: the server asks for the larger first; 0: it does not.
int weight_of(const StoredSetting &stored) {
    return is_for_this_session(stored) ? static_cast<int>(stored.source) : 0;
}

const char *database_of(const StoredSetting &stored) {
    return identifier_of(get_database_name(stored.database), stored.database);
}

// What an error of the server says; null: there was none.
RefusedValue words_of(const ErrorData *error) {
    if (error == nullptr) return {};
    char *detail = error->detail == nullptr ? error->hint : error->detail;
    if (detail == nullptr) detail = error->message;
    size_t size = strlen(detail);
    if (size > 0 && detail[size - 1] == '.') detail[size - 1] = '\0';
    return {error->message, detail};
}

}  // namespace

bool is_for_this_session(const StoredSetting &stored) {
    return (stored.database == MyDatabaseId || stored.database == InvalidOid) &&
           (stored.role == GetAuthenticatedUserId() || stored.role == InvalidOid);
}

bool is_setting_stored(const char *name) {
    auto is_meant = [](const StoredSetting &stored) { return stored.value[0] != '\0' && is_for_this_session(stored); };
    return find_stored_setting(name, is_meant).value != nullptr;
}

StoredSetting find_stored_setting(const char *name, bool (*is_meant)(const StoredSetting &stored)) {
    StoredSetting found{};
    for_each_in_catalog([&](const StoredSetting &stored) {
        bool is_better = found.value == nullptr || weight_of(stored) > weight_of(found);
        if (is_of(stored.name, name) && is_better && is_meant(stored)) found = stored;
    });
    return found;
}

StoredSetting find_setting_in_files(const char *name) {
    StoredSetting found{};
    for_each_in_files([&](const StoredSetting &stored) {
        if (is_of(stored.name, name) && stored.value[0] != '\0') found = stored;
    });
    return found;
}

RefusedValue why_refused(const StoredSetting &stored) {
    const char *now = GetConfigOption(stored.name, true, false);
    if (now == nullptr) return {"there is no such setting here", "there is no such setting here"};
    // What is in force was taken, whatever a check says of it now.
    if (strcmp(now, stored.value) == 0) return {};
    MemoryContext memory = CurrentMemoryContext;
    GucContext context = stored.source == PGC_S_FILE ? PGC_POSTMASTER : PGC_SUSET;
    ErrorData *volatile error = nullptr;
    PG_TRY();
    set_config_option(stored.name, stored.value, context, stored.source, GUC_ACTION_SET, false, ERROR, false);
    PG_CATCH();
    {
        MemoryContextSwitchTo(memory);
        error = CopyErrorData();
        FlushErrorState();
    }
    PG_END_TRY();
    return words_of(error);
}

void for_each_stored_setting(void (*look)(void *argument, const StoredSetting &stored), void *argument) {
    for_each_in_catalog([&](const StoredSetting &stored) {
        bool is_here = stored.database == MyDatabaseId || stored.database == InvalidOid;
        if (is_here && is_ours(stored.name)) look(argument, stored);
    });
    for_each_in_files([&](const StoredSetting &stored) { look(argument, stored); });
}

const char *statement_of(const StoredSetting &stored) {
    if (stored.source == PGC_S_FILE) return "ALTER SYSTEM";
    bool has_database = OidIsValid(stored.database);
    if (has_database && !OidIsValid(stored.role)) return psprintf("ALTER DATABASE %s", database_of(stored));
    const char *role = OidIsValid(stored.role) ? role_name(stored.role) : "ALL";
    return has_database ? psprintf("ALTER ROLE %s IN DATABASE %s", role, database_of(stored))
                        : psprintf("ALTER ROLE %s", role);
}

const char *origin_of(GucSource source) {
    switch (source) {
        case PGC_S_FILE:
            return "the server's configuration";
        case PGC_S_ARGV:
            return "the server's command line";
        case PGC_S_CLIENT:
            return "the connection's options";
        case PGC_S_GLOBAL:
        case PGC_S_DATABASE:
        case PGC_S_USER:
        case PGC_S_DATABASE_USER:
            break;
        default:
            return "this session";
    }
    bool has_role = source == PGC_S_USER || source == PGC_S_DATABASE_USER;
    bool has_database = source == PGC_S_DATABASE || source == PGC_S_DATABASE_USER;
    return statement_of({source, has_database ? MyDatabaseId : InvalidOid,
                         has_role ? GetAuthenticatedUserId() : InvalidOid, nullptr, nullptr});
}

}  // namespace idgen::pg
