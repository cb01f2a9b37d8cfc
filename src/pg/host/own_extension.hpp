// The extension as the catalogs of this database have it: the version of its SQL, which differs from the library's between
// an exchange of the files and ALTER EXTENSION UPDATE; and the schema that it makes, which is a member of it, whatever its
// name is now.
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

    // The OID of a relation in it; invalid if there is none. No role can put another relation there: only its owner has
    // rights in the schema.
    Oid find_relation(const char *name);

   private:
    const char *extension_;
    Oid known_ = InvalidOid;
    bool is_watched_ = false;
};

}  // namespace idgen::pg
