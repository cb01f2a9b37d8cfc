// The durable horizon's page: the first page of the sequence idgen_horizon, in the schema of the extension.
// last_value holds H, log_cnt the identity. A sequence, because pg_dump carries its value along and a standby
// that lacks the library replays it. The page of idgen_generator has the same form, the last generator of
// DecimalIds in the place of H.
#pragma once

#include "core/horizon.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Opens the sequence with a lock that is held until close_horizon. Null where somebody holds a lock against
// it. Raises where it is missing, no sequence, or unlogged.
Relation try_open_horizon(Oid schema);
Relation try_open_generators(Oid schema);
void close_horizon(Relation sequence);
// Raises where changes are not logged yet: with wal_level = minimal, in the transaction that created it.
void require_logged(Relation sequence);

// Reads the record without touching anything, also on a standby and from a sequence that renewals refuse.
enum class Peek : uint8 {
    found,
    locked,   // somebody holds a lock against reading it
    missing,  // no sequence, or no sequence's page
};
Peek peek_horizon(Oid schema, HorizonRecord &record);

// The page under its exclusive lock, from construction to `done`.
struct HorizonPage {
    Relation sequence;
    Buffer buffer;
    HorizonRecord record;
};
// Raises where the page is no sequence page.
HorizonPage lock_horizon_page(Relation sequence);
// Raises where H is outside its bounds, with the page locked.
void check_bounds(const HorizonPage &page);
// Writes the record, logged but not flushed; gives the end of its log record.
XLogRecPtr write_horizon_page(HorizonPage &page, const HorizonRecord &record);
void unlock_horizon_page(HorizonPage &page);

// The identity of this server; see core/horizon.hpp. Requires that it is not in recovery.
int64 server_identity();

}  // namespace idgen::pg
