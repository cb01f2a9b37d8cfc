#include "registry/node/keep/record_page.hpp"

#include "pg/host/own_extension.hpp"
#include "pg/host/sequence_pages.hpp"

namespace idgen::lease {
namespace {

// Only functions of the server itself, called by the names of its own schema. A prepared transaction's locks have no
// process; its lock of its own number says which transaction it is.
constexpr const char *query =
    "SELECT pg_catalog.string_agg(DISTINCT pg_catalog.format('%s has %s of %s',"
    "   CASE WHEN l.pid IS NOT NULL THEN pg_catalog.format('process %s', l.pid)"
    "        ELSE pg_catalog.format('prepared transaction \"%s\"', p.gid) END, l.mode,"
    "   CASE WHEN l.relation >= 16384 THEN 'it' ELSE pg_catalog.format('catalog %s', l.relation) END), ', ')"
    "  FROM pg_catalog.pg_lock_status() AS l"
    "  LEFT JOIN pg_catalog.pg_lock_status() AS own"
    "    ON l.pid IS NULL AND own.pid IS NULL AND own.locktype OPERATOR(pg_catalog.=) 'transactionid'::text"
    "   AND own.virtualtransaction OPERATOR(pg_catalog.=) l.virtualtransaction"
    "  LEFT JOIN pg_catalog.pg_prepared_xact() AS p"
    "    ON p.transaction OPERATOR(pg_catalog.=) own.transactionid"
    " WHERE l.granted AND l.locktype OPERATOR(pg_catalog.=) 'relation'::text"
    "   AND (l.database OPERATOR(pg_catalog.=) $2"
    "   AND l.relation OPERATOR(pg_catalog.=) $1"
    "   AND l.mode OPERATOR(pg_catalog.=) ANY "
    "('{ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::text[])"
    "    OR l.database OPERATOR(pg_catalog.=) ANY (ARRAY[0::oid, $2]) AND l.relation OPERATOR(pg_catalog.<) "
    "16384::oid"
    "   AND l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock'::text)";

constexpr pg::OwnPageFormat page_format{0x4944474C, 1};  // "IDGL"
static_assert(sizeof(LeasePage) <= BLCKSZ - SizeOfPageHeaderData - 16, "one page holds it");

bool is_of_lock(int code) noexcept {
    return code == ERRCODE_LOCK_NOT_AVAILABLE || code == ERRCODE_QUERY_CANCELED;
}

// Runs work() in a transaction. A wait for a lock that took too long ends it: locked.
template <class Work>
Renewal in_transaction(Work work) {
    MemoryContext memory = CurrentMemoryContext;
    volatile Renewal met = Renewal::granted;
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
        met = Renewal::locked;
    }
    PG_END_TRY();
    MemoryContextSwitchTo(memory);
    return met;
}

// Calls work(sequence) if its lock is free.
template <class Work>
Renewal with_record(Oid &oid, Work work) {
    oid = find_record_sequence();
    if (!OidIsValid(oid)) return Renewal::no_record;
    if (!ConditionalLockRelationOid(oid, RowExclusiveLock)) return Renewal::locked;
    Relation sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) return Renewal::no_record;
    Renewal met = can_hold_record(sequence) ? work(sequence) : Renewal::unlogged;
    relation_close(sequence, RowExclusiveLock);
    return met;
}

}  // namespace

const char *lock_holders(Oid relation, MemoryContext memory) {
    Assert(IsTransactionState());
    Oid types[] = {OIDOID, OIDOID};
    Datum values[] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(MyDatabaseId)};
    const char *holders = nullptr;
    SPI_connect();
    PushActiveSnapshot(GetTransactionSnapshot());
    if (SPI_execute_with_args(query, lengthof(types), types, values, nullptr, true, 1) == SPI_OK_SELECT &&
        SPI_processed == 1)
        holders = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    if (holders != nullptr) holders = MemoryContextStrdup(memory, holders);
    PopActiveSnapshot();
    SPI_finish();
    return holders;
}

Oid find_record_sequence() {
    static pg::OwnSchema schema("idgen_lease");
    return schema.find_relation("record");
}

bool can_hold_record(Relation sequence) {
    return sequence->rd_rel->relkind == RELKIND_SEQUENCE &&
           sequence->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT;
}

bool read_record(Relation sequence, LeasePage &page) {
    page = LeasePage{};
    if (!pg::has_own_page(sequence)) return true;
    Buffer buffer = pg::lock_block(sequence, pg::own_block, BUFFER_LOCK_SHARE);
    auto read = pg::read_own_page(BufferGetPage(buffer), page_format, &page, sizeof(page));
    UnlockReleaseBuffer(buffer);
    if (read != Renewal::granted || page.count > most_remembered) page = LeasePage{};
    return read != Renewal::newer_record;
}

void write_record(Relation sequence, const LeasePage &page, pg::LightLock &making) {
    Assert(can_hold_record(sequence));
    making.lock();
    Buffer buffer = pg::has_own_page(sequence) ? pg::lock_block(sequence, pg::own_block, BUFFER_LOCK_EXCLUSIVE)
                                               : pg::add_own_page(sequence);
    GenericXLogState *log = GenericXLogStart(sequence);
    pg::fill_own_page(GenericXLogRegisterBuffer(log, buffer, GENERIC_XLOG_FULL_IMAGE), page_format, &page,
                      static_cast<uint16>(size_of(page)));
    XLogRecPtr lsn = GenericXLogFinish(log);
    UnlockReleaseBuffer(buffer);
    making.unlock();
    // With wal_level = minimal a file of this transaction is not logged, but flushed at its end.
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
}

template <class Work>
bool RecordPage::access(Work work) {
    if (obstacle_ != nullptr) return false;
    Oid sequence = InvalidOid;
    const char *database = gate_.settings().database;
    switch (in_transaction([&] { return with_record(sequence, work); })) {
        case Renewal::granted:
            break;
        case Renewal::no_record:
            obstacle_ = psprintf("the extension idgen_lease is not in database \"%s\"", database);
            break;
        case Renewal::unlogged:
            obstacle_ = psprintf("sequence %s of database \"%s\" is unlogged", record_sequence, database);
            break;
        case Renewal::newer_record:
            obstacle_ = psprintf("a later version of idgen_lease wrote sequence %s of database \"%s\"", record_sequence,
                                 database);
            break;
        default:
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
        return Renewal::granted;
    });
    obstacle_ = psprintf("sequence %s of database \"%s\" is locked: %s", record_sequence, gate_.settings().database,
                         holders == nullptr ? "pg_locks says by whom" : holders);
}

bool RecordPage::read() {
    return access(
        [this](Relation sequence) { return read_record(sequence, page_) ? Renewal::granted : Renewal::newer_record; });
}

bool RecordPage::write() {
    return access([this](Relation sequence) {
        write_record(sequence, page_, gate_.leases().record_lock);
        return Renewal::granted;
    });
}

void RecordPage::restore() {
    access([this](Relation sequence) {
        LeasePage durable;
        if (!read_record(sequence, durable)) return Renewal::newer_record;
        if (!(durable == page_)) write_record(sequence, page_, gate_.leases().record_lock);
        return Renewal::granted;
    });
    obstacle_ = nullptr;
}

}  // namespace idgen::lease
