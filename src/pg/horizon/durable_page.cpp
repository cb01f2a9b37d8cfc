#include "pg/horizon/durable_page.hpp"

#include "pg/host/clock.hpp"
#include "pg/host/rows.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

OwnSchema own_schema("idgen");

namespace {

// As try_open_sequence(), with any lock.
Renewal try_open(const char *name, LOCKMODE lock, Relation &sequence) {
    Oid oid = own_schema.find_relation(name);
    if (!OidIsValid(oid)) return Renewal::no_record;
    if (!ConditionalLockRelationOid(oid, lock)) return Renewal::locked;
    sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) {
        UnlockRelationOid(oid, lock);
        return Renewal::no_record;
    }
    bool is_sequence = sequence->rd_rel->relkind == RELKIND_SEQUENCE;
    if (is_sequence && sequence->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT) return Renewal::granted;
    relation_close(sequence, lock);
    return is_sequence ? Renewal::unlogged : Renewal::no_record;
}

// Whether a row of pg_class is of a sequence with another file, which others see and this transaction replaced.
bool is_replaced_here(HeapTuple row, Relation sequence) {
    auto *visible = reinterpret_cast<Form_pg_class>(GETSTRUCT(row));
    HeapTupleHeader header = row->t_data;
    bool is_other = visible->relkind == RELKIND_SEQUENCE && visible->relfilenode != sequence->rd_rel->relfilenode;
    if (!is_other || TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(header))) return false;
    if ((header->t_infomask & HEAP_XMAX_INVALID) != 0 || HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask)) return false;
    return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header));
}

constexpr OwnPageFormat record_format{0x49444748, 3};  // "IDGH"

// What log_cnt says of a mirror that was written with block 1. nextval and setval set it to 0 or more.
constexpr int64 written_with_own = -1;

Renewal read_mirror(Page page, RecordPage &read) noexcept {
    Form_pg_sequence_data data = sequence_data(page);
    if (data == nullptr) return Renewal::no_record;
    read = {bare_record(data->last_value, data->log_cnt == written_with_own ? 0 : data->log_cnt), {}};
    return Renewal::granted;
}

// Takes the value of a mirror that was written with a later block 1.
void follow_mirror(Page page, DurableRecord &record) noexcept {
    Form_pg_sequence_data data = sequence_data(page);
    if (data != nullptr && data->log_cnt == written_with_own) record.value = Max(record.value, data->last_value);
}

// Reads the record from block 1, or from block 0 if there is no block 1 or an empty one.
Renewal read_pages(DurablePage &page) {
    Page mirror = BufferGetPage(page.mirror);
    RecordPage &content = page;
    if (!has_own_record(page)) return read_mirror(mirror, content);
    Renewal read = read_own_page(BufferGetPage(page.own), record_format, &content, sizeof(content));
    if (read == Renewal::granted) follow_mirror(mirror, page.record);
    return read;
}

DurablePage lock_pages(Relation sequence, BufferLockMode mode) {
    bool has_own = has_own_page(sequence);
    DurablePage page{};
    page.sequence = sequence;
    page.mirror = lock_block(sequence, sequence_block, mode);
    if (has_own) page.own = lock_block(sequence, own_block, mode);
    return page;
}

// Whether initdb can have made it: the upper half is the unix time in seconds.
bool is_system_identifier(int64 value) noexcept {
    constexpr uint64 year_2000_s = 946684800;
    return static_cast<uint64>(value) >> 32 >= year_2000_s;
}

// Whether it is open. If not, there is no such sequence, or another transaction holds a lock against it.
bool open_origin(LOCKMODE lock, Relation &sequence, Renewal &looked) {
    Renewal opened = try_open("origin", lock, sequence);
    looked = opened == Renewal::locked ? Renewal::origin_locked : Renewal::granted;
    return opened == Renewal::granted;
}

// The value of the sequence's page; 0 if it is damaged: such a page names no server, and cannot be written to.
int64 value_of(Relation sequence, bool &is_damaged) {
    Buffer buffer = lock_block(sequence, sequence_block, BUFFER_LOCK_SHARE);
    Form_pg_sequence_data data = sequence_data(BufferGetPage(buffer));
    is_damaged = data == nullptr;
    int64 value = is_damaged ? 0 : data->last_value;
    UnlockReleaseBuffer(buffer);
    return value;
}

// Whether a subscription of this database writes the sequence, as from PostgreSQL 19 on.
Renewal look_for_subscription(Oid sequence, bool &is_subscribed) {
    if (!ConditionalLockRelationOid(SubscriptionRelRelationId, AccessShareLock)) return Renewal::origin_locked;
    Relation relations = table_open(SubscriptionRelRelationId, NoLock);
    ScanKeyData key = oid_is(Anum_pg_subscription_rel_srrelid, sequence);
    scan(relations, SubscriptionRelSrrelidSrsubidIndexId, &key, 1, nullptr, [&is_subscribed](HeapTuple) {
        is_subscribed = true;
        return false;
    });
    table_close(relations, AccessShareLock);
    return Renewal::granted;
}

}  // namespace

Renewal try_open_sequence(Record kind, Relation &sequence) {
    return try_open(name_of(kind), RowExclusiveLock, sequence);
}

Relation open_sequence(Record kind) {
    Relation sequence = nullptr;
    for (;;) {
        Renewal opened = try_open_sequence(kind, sequence);
        if (opened == Renewal::granted) return sequence;
        if (opened != Renewal::locked) raise(refusal_of_renewal({opened, 0}, kind, 0));
        sleep_us(poll_us);
    }
}

void close_sequence(Relation sequence) {
    relation_close(sequence, RowExclusiveLock);
}

bool is_uncommitted(Relation sequence) {
    if (!RelationNeedsWAL(sequence)) return true;
    if (!TransactionIdIsValid(GetTopTransactionIdIfAny())) return false;
    // Not by the relation cache: that of a parallel worker does not know what its leader did.
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_class_relname, BTEqualStrategyNumber, F_NAMEEQ, NameGetDatum(&sequence->rd_rel->relname));
    Relation classes = table_open(RelationRelationId, AccessShareLock);
    bool is_replaced = false;
    scan(classes, ClassNameNspIndexId, &key, 1, SnapshotAny, [&](HeapTuple row) {
        is_replaced = is_replaced_here(row, sequence);
        return !is_replaced;
    });
    table_close(classes, AccessShareLock);
    return is_replaced;
}

bool has_own_record(const DurablePage &page) noexcept {
    return BufferIsValid(page.own) && !PageIsNew(BufferGetPage(page.own));
}

Renewal peek_page(Record kind, RecordPage &page) {
    Relation sequence;
    Renewal opened = try_open(name_of(kind), AccessShareLock, sequence);
    if (opened != Renewal::granted) return opened;
    DurablePage locked = lock_pages(sequence, BUFFER_LOCK_SHARE);
    Renewal peek = read_pages(locked);
    unlock_page(locked);
    page = locked;
    relation_close(sequence, AccessShareLock);
    return peek;
}

Renewal peek_record(Record kind, DurableRecord &record) {
    RecordPage page;
    Renewal peek = peek_page(kind, page);
    if (peek == Renewal::granted) record = page.record;
    return peek;
}

Renewal lock_page(Relation sequence, DurablePage &page) {
    page = lock_pages(sequence, BUFFER_LOCK_EXCLUSIVE);
    Renewal readable = sequence_data(BufferGetPage(page.mirror)) == nullptr ? Renewal::no_record : read_pages(page);
    if (readable != Renewal::granted) unlock_page(page);
    return readable;
}

XLogRecPtr lsn_of(const DurablePage &page) noexcept {
    return PageGetLSN(BufferGetPage(BufferIsValid(page.own) ? page.own : page.mirror));
}

XLogRecPtr write_page(DurablePage &page, const RecordPage &content) {
    // One that a crash left behind empty is taken, never another put behind it.
    if (!BufferIsValid(page.own)) page.own = add_own_page(page.sequence);
    GenericXLogState *log = GenericXLogStart(page.sequence);
    set_sequence_data(GenericXLogRegisterBuffer(log, page.mirror, GENERIC_XLOG_FULL_IMAGE), content.record.value,
                      written_with_own);
    fill_own_page(GenericXLogRegisterBuffer(log, page.own, GENERIC_XLOG_FULL_IMAGE), record_format, &content,
                  sizeof(content));
    return GenericXLogFinish(log);
}

void unlock_page(DurablePage &page) {
    if (BufferIsValid(page.own)) UnlockReleaseBuffer(page.own);
    UnlockReleaseBuffer(page.mirror);
}

XLogRecPtr write_first_record(Relation sequence, const DurableRecord &record) {
    Buffer mirror = lock_block(sequence, sequence_block, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *log = GenericXLogStart(sequence);
    set_sequence_data(GenericXLogRegisterBuffer(log, mirror, GENERIC_XLOG_FULL_IMAGE), record.value, record.identity);
    XLogRecPtr lsn = GenericXLogFinish(log);
    UnlockReleaseBuffer(mirror);
    return lsn;
}

int64 own_system() noexcept {
    return static_cast<int64>(GetSystemIdentifier());
}

Renewal read_foreign_origin(int64 &foreign) {
    foreign = 0;
    Relation sequence;
    Renewal looked;
    if (!open_origin(AccessShareLock, sequence, looked)) return looked;
    bool is_damaged = false;
    int64 origin = value_of(sequence, is_damaged);
    if (origin != own_system() && is_system_identifier(origin)) {
        bool is_subscribed = false;
        looked = look_for_subscription(RelationGetRelid(sequence), is_subscribed);
        if (!is_subscribed) foreign = origin;
    }
    relation_close(sequence, AccessShareLock);
    return looked;
}

void mirror_origin(int64 system_identifier) {
    Assert(!RecoveryInProgress());
    Relation sequence;
    Renewal looked;
    if (!open_origin(RowExclusiveLock, sequence, looked)) return;
    bool is_damaged = false;
    bool is_other = value_of(sequence, is_damaged) != system_identifier;
    if (is_other && !is_damaged && !is_uncommitted(sequence))
        write_first_record(sequence, bare_record(system_identifier, 0));
    relation_close(sequence, RowExclusiveLock);
}

}  // namespace idgen::pg
