// The sequence idgen_lease_record of the extension idgen_lease: behind it, in a page of our own, lies what
// this server remembers of its numbers. The keeper is a superuser, and the schema of the sequence may belong
// to a role that is not: so the sequence is found as a member of the extension, never by names that other
// roles can give to something else, and its page is read and written without the executor.
#pragma once

#include "core/lease/lease_page.hpp"
#include "pg/host/light_lock.hpp"
#include "pg/postgres.hpp"

namespace idgen::lease {

constexpr const char *record_sequence = "idgen_lease_record";

// Its OID in this database; invalid: the extension is not there.
Oid find_record_sequence();

// Whether the relation is still what the extension made, so that a page behind it survives a crash.
bool can_hold_record(Relation sequence);

// Reads the page; one that is lost or damaged remembers nothing. False: a later version wrote it.
bool read_record(Relation sequence, LeasePage &page);

// Writes the page and flushes it. `making` guards that there is one such page. Requires can_hold_record.
void write_record(Relation sequence, const LeasePage &page, pg::LightLock &making);

}  // namespace idgen::lease
