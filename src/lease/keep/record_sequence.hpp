// The sequence idgen_lease.record of the extension idgen_lease: behind it, in a page of our own, lies what
// this server remembers of its numbers. The keeper is a superuser: so the sequence is found in the schema
// that is a member of the extension, never by names that other roles can give to something else, and its page
// is read and written without the executor.
#pragma once

#include "core/lease/lease_record.hpp"
#include "pg/host/light_lock.hpp"
#include "pg/postgres.hpp"

namespace idgen::lease {

// What messages call it.
constexpr const char *record_sequence = "idgen_lease.record";

// Its OID in this database; invalid: the extension is not there.
Oid find_record_sequence();

// Whether the relation is still what the extension made, so that a page behind it survives a crash.
bool can_hold_record(Relation sequence);

// Reads the page; one that is lost or damaged remembers nothing. False: a later version wrote it.
bool read_record(Relation sequence, LeasePage &page);

// Writes the page and flushes it. `making` guards that there is one such page. Requires can_hold_record.
void write_record(Relation sequence, const LeasePage &page, pg::LightLock &making);

}  // namespace idgen::lease
