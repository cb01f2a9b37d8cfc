#include "pg/report/words.hpp"

namespace idgen::pg {
namespace {

// ALTER SYSTEM takes a list in quotes as one name.
const char *as_element(const char *library) {
    bool is_word = library[strspn(library, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
    return is_word && !isdigit(static_cast<unsigned char>(library[0])) ? library : quote_literal_cstr(library);
}

// What the server loaded when it started.
struct Loaded {
    char *others;  // not ours, each with a comma behind it
    bool has_lease;
};

Loaded look_at_loaded() {
    StringInfoData others;
    initStringInfo(&others);
    bool has_lease = false;
    List *libraries = NIL;
    SplitDirectoriesString(pstrdup(shared_preload_libraries_string), ',', &libraries);
    ListCell *cell;
    foreach (cell, libraries) {
        auto library = static_cast<const char *>(lfirst(cell));
        bool is_lease = strcmp(library, "idgen_lease") == 0;
        has_lease |= is_lease;
        if (!is_lease && strcmp(library, "idgen") != 0) appendStringInfo(&others, "%s, ", as_element(library));
    }
    return {others.data, has_lease};
}

const char *alter_system(const Loaded &loaded, const char *own) {
    return psprintf("ALTER SYSTEM SET shared_preload_libraries = %s%s; then restart the server.", loaded.others, own);
}

const char *statement(const Loaded &loaded, const char *own) {
    if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS)) return alter_system(loaded, own);
    return psprintf("Have a superuser add %s to shared_preload_libraries and restart the server.", own);
}

// In this order: idgen_lease needs the other one when it is loaded.
constexpr const char *with_lease = "idgen, idgen_lease";

}  // namespace

const char *preload_hint() {
    return statement(look_at_loaded(), "idgen");
}

const char *preload_lease_hint() {
    return statement(look_at_loaded(), with_lease);
}

const char *preload_lease_hint_for_log() {
    return alter_system(look_at_loaded(), with_lease);
}

const char *keeper_hint() {
    return look_at_loaded().has_lease ? "The server's log says why it ended; it begins again within a second or so."
                                      : preload_lease_hint();
}

const char *registry_hint(const char *if_loaded) {
    return GetConfigOption("idgen.registry", true, false) == nullptr ? preload_lease_hint() : if_loaded;
}

}  // namespace idgen::pg
