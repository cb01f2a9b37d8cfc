// The server's record of its numbers as the keeper has it: a copy in memory, and the page on disk. Only the proposal of
// a claim must be written before the keeper goes on; a page that is lost is written again.
//
// The keeper waits for no lock of another transaction: it takes the lock of the sequence only if it is free, and
// lock_timeout bounds its waits for catalogs. What is in the way is a sentence, and the next round tries again.
#pragma once

#include "pg/host/server_locks.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/rules/lease_record.hpp"

namespace idgen::lease {

// Names each process and prepared transaction that holds a lock against writing to the relation, or against reading any
// of the database's catalogs, with the lock's mode: part of a sentence, in `memory`. Null: there is none. Requires a
// transaction.
const char *lock_holders(Oid relation, MemoryContext memory);

// The sequence idgen_lease.record of the extension idgen_lease: behind it, in a page of our own, lies what this server
// remembers of its numbers. The keeper is a superuser: so the sequence is found in the schema that is a member of the
// extension, never by names that other roles can give to something else, and its page is read and written without the
// executor.

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

class RecordPage {
   public:
    explicit RecordPage(const pg::LeaseGate &gate) noexcept : gate_(gate) {}

    // What the keeper knows, and changes before it writes.
    LeasePage &page() noexcept { return page_; }
    const LeasePage &page() const noexcept { return page_; }

    // Each is a transaction of its own, durable when it returns. False: obstacle() says why.
    bool read();
    bool write();

    // Writes the page again if it is not as it was written. What keeps it from that is not said: nothing needs the page
    // now.
    void restore();

    // In the way of the last access: a sentence, until the end of the round.
    const char *obstacle() const noexcept { return obstacle_; }

    // Accesses are tried again: after one that failed, the others of a round fail at once.
    void begin_round() noexcept { obstacle_ = nullptr; }

   private:
    template <class Work>
    bool access(Work work);
    void explain(Oid sequence);

    const pg::LeaseGate &gate_;
    LeasePage page_{};
    const char *obstacle_ = nullptr;
};

}  // namespace idgen::lease
