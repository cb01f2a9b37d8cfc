// The server's own record of its numbers, durable: the table idgen_lease_record of the extension idgen_lease,
// in the database of the keeper. One row a number, and one of no number that remembers the registry alone.
//
// A table, not a page beside the horizon: it is written when a number is taken, never when IDs are made, by
// one process that has transactions; and a copy, a standby or a restored dump is known by the identity in the
// row, whatever carried it there, logical replication included.
#pragma once

#include "core/lease/lease_record.hpp"
#include "pg/state/leases.hpp"

namespace idgen::lease {

// The row that remembers the registry.
constexpr int64 no_number_row = -1;

struct RecordTable {
    LeaseRecord rows[pg::max_leases * 2 + 1];
    uint32 count;
};

// Reads the rows that there is room for, those of an identity first. False where the table is not there. Each
// call is a transaction of its own, flushed when it returns.
bool read_records(int64 identity, RecordTable &table);

// Writes the row of the record's identity and number. False where the table is not there.
bool write_record(const LeaseRecord &record);

// Removes the row of a number.
void forget_record(int64 identity, int64 number);

}  // namespace idgen::lease
