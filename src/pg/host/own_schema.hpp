// The schema that an extension makes for what is its own, and that is a member of it, whatever its name is now.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Looked for once in a session, and again after a schema of the database has changed: who locks pg_depend for long, as
// VACUUM FULL does, does not hold up the renewals of sessions that know it.
class OwnSchema {
   public:
    constexpr explicit OwnSchema(const char *extension) : extension_(extension) {}

    // The OID of a relation in it; invalid if there is none. No role can put another relation there: the schema is
    // its owner's alone.
    Oid find_relation(const char *name);

   private:
    const char *extension_;
    Oid known_ = InvalidOid;
    bool is_watched_ = false;
};

}  // namespace idgen::pg
