#include "pg/horizon/durable_page.hpp"

#include "pg/host/server_identity.hpp"
#include "pg/report/record_name.hpp"

namespace idgen::pg {
namespace {

constexpr OwnPageFormat record_format{0x49444748, 1};  // "IDGH"

// Reads block 1. Requires that it is not new.
Renewal read_own(Page page, DurableRecord &record) noexcept {
    switch (read_own_page(page, record_format, &record, sizeof(record))) {
        case OwnPageRead::whole:
            return Renewal::granted;
        case OwnPageRead::newer:
            return Renewal::newer_record;
        case OwnPageRead::broken:
            break;
    }
    return Renewal::no_record;
}

Renewal read_mirror(Page page, DurableRecord &record) noexcept {
    Form_pg_sequence_data data = sequence_data(page);
    if (data == nullptr) return Renewal::no_record;
    record = bare_record(data->last_value, data->log_cnt);
    return Renewal::granted;
}

// Reads the record from block 1, or from block 0 where there is no block 1 or an empty one.
Renewal read_pages(const DurablePage &page, DurableRecord &record) {
    bool has_own = BufferIsValid(page.own) && !PageIsNew(BufferGetPage(page.own));
    if (has_own) return read_own(BufferGetPage(page.own), record);
    return read_mirror(BufferGetPage(page.mirror), record);
}

DurablePage lock_pages(Relation sequence, BufferLockMode mode) {
    bool has_own = has_own_page(sequence);
    DurablePage page{sequence, lock_block(sequence, sequence_block, mode), InvalidBuffer, {}};
    if (has_own) page.own = lock_block(sequence, own_block, mode);
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

Peek peek_record(Record kind, DurableRecord &record) {
    Oid oid = own_schema.find_relation(name_of(kind));
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
        sequence_data(BufferGetPage(page.mirror)) == nullptr ? Renewal::no_record : read_pages(page, page.record);
    if (readable != Renewal::granted) unlock_page(page);
    return readable;
}

XLogRecPtr write_page(DurablePage &page, const DurableRecord &record) {
    // One that a crash left behind empty is taken, never another put behind it.
    if (!BufferIsValid(page.own)) page.own = add_own_page(page.sequence);
    GenericXLogState *log = GenericXLogStart(page.sequence);
    set_sequence_data(GenericXLogRegisterBuffer(log, page.mirror, GENERIC_XLOG_FULL_IMAGE), record.value, 0);
    fill_own_page(GenericXLogRegisterBuffer(log, page.own, GENERIC_XLOG_FULL_IMAGE), record_format, &record,
                  sizeof(record));
    return GenericXLogFinish(log);
}

void unlock_page(DurablePage &page) {
    if (BufferIsValid(page.own)) UnlockReleaseBuffer(page.own);
    UnlockReleaseBuffer(page.mirror);
}

void write_first_record(Record kind, int64 value) {
    int64 identity = server_identity();
    Relation sequence = open_sequence(kind);
    Buffer mirror = lock_block(sequence, sequence_block, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *log = GenericXLogStart(sequence);
    set_sequence_data(GenericXLogRegisterBuffer(log, mirror, GENERIC_XLOG_FULL_IMAGE), value, identity);
    XLogRecPtr lsn = GenericXLogFinish(log);
    UnlockReleaseBuffer(mirror);
    // With wal_level = minimal there is no such record: the file is flushed at the end of the transaction.
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
    close_sequence(sequence);
}

}  // namespace idgen::pg
