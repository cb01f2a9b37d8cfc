// The extension as the catalogs of this database have it: the version of its SQL, which differs from the library's between
// an exchange of the files and ALTER EXTENSION UPDATE; and the schema that it makes, which is a member of it, whatever its
// name is now. And the schemas that others could shadow it in.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// The version of this library.
const char *library_version() noexcept;

// Whether this library is of that version or a later one. Requires that the text is a version.
bool is_library_at_least(const char *version) noexcept;

// The version of the extension, palloc'ed; null if it is not installed.
const char *extension_version();

// The schema. Looked for once in a session, and again after a schema of the database has changed: a long lock on
// pg_depend, as VACUUM FULL takes it, does not hold up the renewals of sessions that know it.
class OwnSchema {
   public:
    constexpr explicit OwnSchema(const char *extension) : extension_(extension) {}

    // The OID of a relation in it; invalid if there is none. Only the schema's owner can put another one there.
    Oid find_relation(const char *name);

   private:
    const char *extension_;
    Oid known_ = InvalidOid;
    bool is_watched_ = false;
};

// Schemas in which a role could make a function that is called in place of the extension's. A function next_id(integer)
// is a better match for next_id(5) than next_id(bigint), wherever it stands in search_path, with its caller's rights.
//
// These are the schemas chosen at CREATE EXTENSION, if an ordinary role owns one or may create there; and public, which is
// in most paths, if PUBLIC may. Not ordinary are superusers and who has the rights of the database's owner; who has those
// of a schema's owner goes with it. sql/common/30-open_schemas.sql warns of the same. All by palloc, as SQL has the names.
struct OpenSchemas {
    const char *closed;  // where no role may, if none is open: "ids, kinds, nor PUBLIC in public"
    const char *open;  // "app may create functions in ids, PUBLIC may create functions in public"; empty: none is open
    const char *revoke;  // the statements that close them
};

OpenSchemas find_open_schemas();

}  // namespace idgen::pg
