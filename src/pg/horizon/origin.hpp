// Of which server a database is. The record of the horizon names it (DurableRecord::owner). pg_dump cannot carry that,
// so the value of the sequence idgen.origin mirrors it: CREATE EXTENSION, confirm_shards() and the first renewal after
// a start write it. The mirror counts only in a database whose horizon has no page of its own yet, such as one restored
// from a dump. What else writes to it changes nothing: nextval() fails, and a value that a subscription brought along,
// or that cannot be a system identifier, is not believed.
#pragma once

#include "core/horizon/durable_record.hpp"
#include "core/horizon/renewal.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// This server, and the shards that it is set to own if nothing is SET in the session.
Owner this_owner();

// Reads the system identifier of another server that the mirror names; 0: it names none. Not granted if another
// transaction holds a lock against it.
Renewal read_foreign_origin(int64 &foreign);

// Writes the mirror, if its sequence can be locked and holds another value. Requires that the server is not in
// recovery.
void mirror_origin(int64 system_identifier);

}  // namespace idgen::pg
