// Schemas in which a role could make a function that is called in place of the extension's. A function next_id(integer)
// is a better match for next_id(5) than next_id(bigint), wherever it stands in search_path, and runs with its caller's
// rights.
//
// These are the schemas that were chosen at CREATE EXTENSION, if an ordinary role may create there; and public, which
// is in most paths, if PUBLIC may. A role is ordinary unless it is a superuser, or has the rights of the schema's owner
// or of the database's, who can do the same in other ways. sql/common/30-open_schemas.sql warns of the same.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// All by palloc, with the names as SQL has them.
struct OpenSchemas {
    const char *closed;  // where no role may, if none is open: "ids, kinds, nor PUBLIC in public"
    const char *open;  // "app may create functions in ids, PUBLIC may create functions in public"; empty: none is open
    const char *revoke;  // the statements that close them
};

OpenSchemas find_open_schemas();

}  // namespace idgen::pg
