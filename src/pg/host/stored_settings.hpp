// Values of settings that are written down for sessions that begin later: by ALTER DATABASE and ALTER ROLE, and in the
// server's files. What is written may be unknown to this session yet, or refused: the server takes any value while the
// library is not loaded, and ignores a wrong one later, with a warning.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

struct StoredSetting {
    GucSource source;  // PGC_S_FILE, or what the server gives a value of the two catalogs' columns
    Oid database;      // invalid: any
    Oid role;          // invalid: any
    const char *name;
    const char *value;  // by palloc; null: there is none
};

// Whether a value of that name, not an empty one, is stored for this session's database or user.
bool is_setting_stored(const char *name);

// Whether this session would have had the value at its beginning, unless another one goes before it.
bool is_for_this_session(const StoredSetting &stored);

// Of the stored values of that name that `is_meant` is true of, the one that this session has, else any.
StoredSetting find_stored_setting(const char *name, bool (*is_meant)(const StoredSetting &stored));

// The one that the server's files have.
StoredSetting find_setting_in_files(const char *name);

// Why the server does not take a value.
struct RefusedValue {
    const char *message;  // null: it does
    const char *detail;   // what is wrong with it, without a full stop
};
RefusedValue why_refused(const StoredSetting &stored);

// Calls look(argument, stored) for all that are stored of idgen: for databases and roles, as far as sessions of this
// database have them, then in the server's files.
void for_each_stored_setting(void (*look)(void *argument, const StoredSetting &stored), void *argument);

// The beginning of the statement that changes it: "ALTER DATABASE app"; by palloc.
const char *statement_of(const StoredSetting &stored);

// What gave this session a value: "ALTER DATABASE app", "the server's configuration".
const char *origin_of(GucSource source);

}  // namespace idgen::pg
