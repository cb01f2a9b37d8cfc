// The table of the record on disk. The keeper is a superuser, and the schema of the table may belong to
// somebody who is none: so the table is found as the member of the extension idgen_lease that it is, by its
// number and never by names that others can give to something else, and its rows are read and written without
// the executor, which would run triggers, rules and views of theirs.
#pragma once

#include "core/lease/lease_record.hpp"
#include "pg/postgres.hpp"

namespace idgen::lease {

// Opens it, locked until the end of the transaction. Null where it is not there.
Relation open_records(LOCKMODE mode);
void close_records(Relation records);

// Copies up to so many rows, those of an identity first; gives how many these are. In no order.
uint32 copy_records(Relation records, int64 identity, LeaseRecord *rows, uint32 room);

// Each requires ShareRowExclusiveLock: nobody else writes meanwhile. A row is known by identity and number:
// logical replication may have brought those of other servers.
void put_record(Relation records, const LeaseRecord &record);
void remove_record(Relation records, int64 identity, int64 number);
void remove_all_records(Relation records);

}  // namespace idgen::lease
