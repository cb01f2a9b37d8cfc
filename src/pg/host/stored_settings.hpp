// Settings that ALTER DATABASE and ALTER ROLE stored: they reach only connections that begin later.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Whether a value of that name is stored for this session's database or user.
bool is_setting_stored(const char *name);

// A value that is stored, for whichever role and database.
struct StoredSetting {
    Oid database;       // invalid: any
    Oid role;           // invalid: any
    const char *value;  // by palloc; null: there is none
};

// Of the values of that name that `is_meant` is true of, the one that this session has, else any.
StoredSetting find_stored_setting(const char *name, bool (*is_meant)(const char *value));

// The statement that removes it: "ALTER DATABASE app RESET name"; by palloc.
const char *reset_statement(const StoredSetting &stored, const char *name);

}  // namespace idgen::pg
