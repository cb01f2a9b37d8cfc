// The sequences of the extension behind which durable records lie: opened and locked, and looked at in the
// catalog.
#pragma once

#include "core/durable/renewal.hpp"
#include "pg/host/own_schema.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Where the sequences stand.
extern OwnSchema own_schema;

// Not granted where the relation is no sequence, or unlogged.
Renewal check_sequence(Relation sequence) noexcept;

// Opens the sequence with a lock that is held until close_sequence. Not granted where somebody holds a lock
// against it, and where it is none or unlogged.
Renewal try_open_sequence(Record kind, Relation &sequence);
// The same, and a wait for the lock. Raises where it is refused.
Relation open_sequence(Record kind);
void close_sequence(Relation sequence);

// Whether a record would be gone with the transaction while others rest on it: where it gave the sequence
// another file (ALTER SEQUENCE), or created it in the place of one that others still see; and where nothing
// is logged of one that is new (wal_level = minimal). A first one that the transaction created goes with all
// that rests on it. Looks into the catalog where the transaction changed anything.
bool is_uncommitted(Relation sequence);

}  // namespace idgen::pg
