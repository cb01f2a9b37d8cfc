#include "pg/horizon/durable_page.hpp"

#include "pg/report/record_name.hpp"

namespace idgen::pg {
namespace {

constexpr BlockNumber mirror_block = 0;
constexpr BlockNumber own_block = 1;

// What PostgreSQL writes into the special space of a sequence's page.
constexpr uint32 sequence_magic = 0x1717;

// Never change: on disk. A later version may put fields at the end of the record, and then raises
// own_version.
struct OwnPage {
    uint32 magic;
    uint16 version;
    uint16 size;
    DurableRecord record;
    pg_crc32c crc;
    uint32 zero;
};
static_assert(sizeof(OwnPage) == 72 && offsetof(OwnPage, record) == 8 && offsetof(OwnPage, crc) == 64,
              "on disk");
constexpr uint32 own_magic = 0x49444748;  // "IDGH"
constexpr uint16 own_version = 1;

Form_pg_sequence_data data_on(Page page) {
    if (PageIsNew(page) || PageGetSpecialSize(page) < sizeof(uint32) ||
        *reinterpret_cast<uint32 *>(PageGetSpecialPointer(page)) != sequence_magic ||
        PageGetMaxOffsetNumber(page) < FirstOffsetNumber)
        return nullptr;
    ItemId item = PageGetItemId(page, FirstOffsetNumber);
    if (!ItemIdIsNormal(item)) return nullptr;
    auto *tuple = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    return reinterpret_cast<Form_pg_sequence_data>(reinterpret_cast<char *>(tuple) + tuple->t_hoff);
}

OwnPage *own_on(Page page) noexcept {
    return reinterpret_cast<OwnPage *>(PageGetSpecialPointer(page));
}

// Of the first `size` bytes.
pg_crc32c crc_of(const OwnPage &own, size_t size) noexcept {
    pg_crc32c crc;
    INIT_CRC32C(crc);
    COMP_CRC32C(crc, &own, size);
    FIN_CRC32C(crc);
    return crc;
}

// The checksum behind a record of `size` bytes is that of all before it.
bool is_whole(const OwnPage &own, size_t size) noexcept {
    size_t end = offsetof(OwnPage, record) + size;
    pg_crc32c stored;
    memcpy(&stored, reinterpret_cast<const char *>(&own) + end, sizeof(stored));
    return EQ_CRC32C(stored, crc_of(own, end));
}

// Reads block 1; it must not be new. An earlier version's record may be shorter: what it lacks is zero.
Renewal read_own(Page page, DurableRecord &record) noexcept {
    size_t room = PageGetSpecialSize(page);
    if (room < offsetof(OwnPage, record)) return Renewal::no_record;
    const OwnPage &own = *own_on(page);
    if (own.magic != own_magic) return Renewal::no_record;
    if (own.version > own_version) return Renewal::newer_record;
    if (own.size > sizeof(DurableRecord) || room < sizeof(OwnPage) - sizeof(DurableRecord) + own.size)
        return Renewal::no_record;
    if (!is_whole(own, own.size)) return Renewal::no_record;
    record = DurableRecord{};
    memcpy(&record, &own.record, own.size);
    return Renewal::granted;
}

Renewal read_mirror(Page page, DurableRecord &record) noexcept {
    Form_pg_sequence_data data = data_on(page);
    if (data == nullptr) return Renewal::no_record;
    record = bare_record(data->last_value, data->log_cnt);
    return Renewal::granted;
}

void write_own(Page page, const DurableRecord &record) noexcept {
    PageInit(page, BLCKSZ, sizeof(OwnPage));
    OwnPage &own = *own_on(page);
    own.magic = own_magic;
    own.version = own_version;
    own.size = sizeof(DurableRecord);
    own.record = record;
    own.crc = crc_of(own, offsetof(OwnPage, crc));
}

void write_mirror(Page page, int64 value, int64 identity) noexcept {
    Form_pg_sequence_data data = data_on(page);
    data->last_value = value;
    data->log_cnt = identity;
    data->is_called = true;
}

Buffer read_locked(Relation sequence, BlockNumber block, BufferLockMode mode) {
    Buffer buffer = ReadBuffer(sequence, block);
    LockBuffer(buffer, mode);
    return buffer;
}

// Reads the record from block 1, or from block 0 where there is no block 1 or an empty one.
Renewal read_pages(const DurablePage &page, DurableRecord &record) {
    bool has_own = BufferIsValid(page.own) && !PageIsNew(BufferGetPage(page.own));
    if (has_own) return read_own(BufferGetPage(page.own), record);
    return read_mirror(BufferGetPage(page.mirror), record);
}

DurablePage lock_pages(Relation sequence, BufferLockMode mode) {
    DurablePage page{sequence, InvalidBuffer, InvalidBuffer, {}};
    bool has_own = has_own_page(sequence);
    page.mirror = read_locked(sequence, mirror_block, mode);
    if (has_own) page.own = read_locked(sequence, own_block, mode);
    return page;
}

Peek peek_open(Relation sequence, DurableRecord &record) {
    Renewal checked = check_sequence(sequence);
    if (checked == Renewal::granted) {
        DurablePage page = lock_pages(sequence, BUFFER_LOCK_SHARE);
        checked = read_pages(page, record);
        unlock_page(page);
    }
    if (checked == Renewal::granted) return Peek::found;
    if (checked == Renewal::unlogged) return Peek::unlogged;
    return checked == Renewal::newer_record ? Peek::newer : Peek::missing;
}

}  // namespace

bool has_own_page(Relation sequence) {
    return RelationGetNumberOfBlocks(sequence) > own_block;
}

Peek peek_record(Oid schema, Record kind, DurableRecord &record) {
    Oid oid = get_relname_relid(sequence_of(kind), schema);
    if (!OidIsValid(oid)) return Peek::missing;
    if (!ConditionalLockRelationOid(oid, AccessShareLock)) return Peek::locked;
    Relation sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) {
        UnlockRelationOid(oid, AccessShareLock);
        return Peek::missing;
    }
    Peek peek = peek_open(sequence, record);
    relation_close(sequence, AccessShareLock);
    return peek;
}

Renewal lock_page(Relation sequence, DurablePage &page) {
    page = lock_pages(sequence, BUFFER_LOCK_EXCLUSIVE);
    Renewal readable =
        data_on(BufferGetPage(page.mirror)) == nullptr ? Renewal::no_record : read_pages(page, page.record);
    if (readable != Renewal::granted) unlock_page(page);
    return readable;
}

XLogRecPtr write_page(DurablePage &page, const DurableRecord &record) {
    // One that a crash left behind empty is taken, never another put behind it.
    if (!BufferIsValid(page.own)) page.own = read_locked(page.sequence, P_NEW, BUFFER_LOCK_EXCLUSIVE);
    Assert(BufferGetBlockNumber(page.own) == own_block);
    GenericXLogState *log = GenericXLogStart(page.sequence);
    write_mirror(GenericXLogRegisterBuffer(log, page.mirror, GENERIC_XLOG_FULL_IMAGE), record.value, 0);
    write_own(GenericXLogRegisterBuffer(log, page.own, GENERIC_XLOG_FULL_IMAGE), record);
    return GenericXLogFinish(log);
}

void unlock_page(DurablePage &page) {
    if (BufferIsValid(page.own)) UnlockReleaseBuffer(page.own);
    UnlockReleaseBuffer(page.mirror);
}

void write_first_record(Oid schema, Record kind, int64 value) {
    Relation sequence = open_sequence(schema, kind);
    Buffer mirror = read_locked(sequence, mirror_block, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *log = GenericXLogStart(sequence);
    write_mirror(GenericXLogRegisterBuffer(log, mirror, GENERIC_XLOG_FULL_IMAGE), value, server_identity());
    XLogRecPtr lsn = GenericXLogFinish(log);
    UnlockReleaseBuffer(mirror);
    // With wal_level = minimal there is no such record: the file is flushed at the end of the transaction.
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
    close_sequence(sequence);
}

int64 server_identity() {
    return identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier());
}

}  // namespace idgen::pg
