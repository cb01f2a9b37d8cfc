#include "lease/keep/record_page.hpp"

#include "lease/keep/lock_holders.hpp"

namespace idgen::lease {
namespace {

// What may keep a transaction of the keeper from the page.
enum class Obstacle : uint8 { none, missing, unusable, newer, locked };

bool is_of_lock(int code) noexcept {
    return code == ERRCODE_LOCK_NOT_AVAILABLE || code == ERRCODE_QUERY_CANCELED;
}

// Runs work() in a transaction. A wait for a lock that took too long ends it: locked.
template <class Work>
Obstacle in_transaction(Work work) {
    MemoryContext memory = CurrentMemoryContext;
    volatile Obstacle met = Obstacle::none;
    PG_TRY();
    {
        SetCurrentStatementStartTimestamp();
        StartTransactionCommand();
        met = work();
        CommitTransactionCommand();
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(memory);
        if (!is_of_lock(geterrcode())) PG_RE_THROW();
        FlushErrorState();
        AbortCurrentTransaction();
        met = Obstacle::locked;
    }
    PG_END_TRY();
    MemoryContextSwitchTo(memory);
    return met;
}

// Calls work(sequence) if its lock is free.
template <class Work>
Obstacle with_record(Oid &oid, Work work) {
    oid = find_record_sequence();
    if (!OidIsValid(oid)) return Obstacle::missing;
    if (!ConditionalLockRelationOid(oid, RowExclusiveLock)) return Obstacle::locked;
    Relation sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) return Obstacle::missing;
    Obstacle met = can_hold_record(sequence) ? work(sequence) : Obstacle::unusable;
    relation_close(sequence, RowExclusiveLock);
    return met;
}

}  // namespace

template <class Work>
bool RecordPage::access(Work work) {
    if (obstacle_ != nullptr) return false;
    Oid sequence = InvalidOid;
    const char *database = gate_.settings().database;
    switch (in_transaction([&] { return with_record(sequence, work); })) {
        case Obstacle::none:
            break;
        case Obstacle::missing:
            obstacle_ = psprintf("the extension idgen_lease is not in database \"%s\"", database);
            break;
        case Obstacle::unusable:
            obstacle_ = psprintf("sequence %s of database \"%s\" is unlogged", record_sequence, database);
            break;
        case Obstacle::newer:
            obstacle_ = psprintf("a later version of idgen_lease wrote sequence %s of database \"%s\"", record_sequence,
                                 database);
            break;
        case Obstacle::locked:
            explain(sequence);
            break;
    }
    return obstacle_ == nullptr;
}

// Says who holds the lock.
void RecordPage::explain(Oid sequence) {
    MemoryContext memory = CurrentMemoryContext;
    const char *holders = nullptr;
    in_transaction([&] {
        holders = lock_holders(sequence, memory);
        return Obstacle::none;
    });
    obstacle_ = psprintf("sequence %s of database \"%s\" is locked: %s", record_sequence, gate_.settings().database,
                         holders == nullptr ? "pg_locks says by whom" : holders);
}

bool RecordPage::read() {
    return access(
        [this](Relation sequence) { return read_record(sequence, page_) ? Obstacle::none : Obstacle::newer; });
}

bool RecordPage::write() {
    return access([this](Relation sequence) {
        write_record(sequence, page_, gate_.leases().record_lock);
        return Obstacle::none;
    });
}

void RecordPage::restore() {
    access([this](Relation sequence) {
        LeasePage durable;
        if (!read_record(sequence, durable)) return Obstacle::newer;
        if (!(durable == page_)) write_record(sequence, page_, gate_.leases().record_lock);
        return Obstacle::none;
    });
    obstacle_ = nullptr;
}

}  // namespace idgen::lease
