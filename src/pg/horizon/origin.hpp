// Of which server a database is: the table idgen_origin holds its system identifier, put there by CREATE
// EXTENSION, and pg_dump carries it along. In a database restored from another server's dump there is a
// second row.
#pragma once

#include "core/durable/ownership.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// This server, and the shards that it is set to own where nothing is SET in the session.
Owner this_owner();

// The system identifier of another server that the table names; 0 where it names none.
int64 foreign_origin(Oid schema);

// Leaves this server's system identifier alone in the table.
void confirm_origin(Oid schema);

}  // namespace idgen::pg
