#include "pg/horizon_page.hpp"

#include "pg/report.hpp"

namespace idgen::pg {
namespace {

constexpr const char *sequence_name = "idgen_horizon";
constexpr const char *generators_name = "idgen_generator";

// What PostgreSQL writes into the special space of a sequence's page.
constexpr uint32 sequence_magic = 0x1717;

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

Relation try_open(Oid schema, const char *name) {
    Oid oid = get_relname_relid(name, schema);
    if (!OidIsValid(oid)) report_no_horizon(name);
    if (!ConditionalLockRelationOid(oid, RowExclusiveLock)) return nullptr;
    Relation sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr || sequence->rd_rel->relkind != RELKIND_SEQUENCE) report_no_horizon(name);
    if (sequence->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) report_unlogged_horizon(name);
    return sequence;
}

}  // namespace

Peek peek_horizon(Oid schema, HorizonRecord &record) {
    Oid oid = get_relname_relid(sequence_name, schema);
    if (!OidIsValid(oid)) return Peek::missing;
    if (!ConditionalLockRelationOid(oid, AccessShareLock)) return Peek::locked;
    Relation sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) return Peek::missing;
    Peek peek = Peek::missing;
    bool has_page = sequence->rd_rel->relkind == RELKIND_SEQUENCE && RelationGetNumberOfBlocks(sequence) > 0;
    if (has_page) {
        Buffer buffer = ReadBuffer(sequence, 0);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        if (Form_pg_sequence_data data = data_on(BufferGetPage(buffer)); data != nullptr) {
            record = {data->last_value, data->log_cnt};
            peek = Peek::found;
        }
        UnlockReleaseBuffer(buffer);
    }
    relation_close(sequence, AccessShareLock);
    return peek;
}

Relation try_open_horizon(Oid schema) {
    return try_open(schema, sequence_name);
}

Relation try_open_generators(Oid schema) {
    return try_open(schema, generators_name);
}

void require_logged(Relation sequence) {
    if (!RelationNeedsWAL(sequence)) report_uncommitted_horizon(RelationGetRelationName(sequence));
}

void close_horizon(Relation sequence) {
    relation_close(sequence, RowExclusiveLock);
}

HorizonPage lock_horizon_page(Relation sequence) {
    Buffer buffer = ReadBuffer(sequence, 0);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    Form_pg_sequence_data data = data_on(BufferGetPage(buffer));
    if (data == nullptr) report_no_horizon(RelationGetRelationName(sequence));
    return {sequence, buffer, {data->last_value, data->log_cnt}};
}

void check_bounds(const HorizonPage &page) {
    int64 horizon_ms = page.record.horizon_ms;
    if (horizon_ms < min_horizon_ms || horizon_ms > max_horizon_ms)
        report_horizon_bounds(sequence_name, horizon_ms);
}

XLogRecPtr write_horizon_page(HorizonPage &page, const HorizonRecord &record) {
    GenericXLogState *log = GenericXLogStart(page.sequence);
    Form_pg_sequence_data data = data_on(GenericXLogRegisterBuffer(log, page.buffer, 0));
    data->last_value = record.horizon_ms;
    data->log_cnt = record.identity;
    data->is_called = true;
    return GenericXLogFinish(log);
}

void unlock_horizon_page(HorizonPage &page) {
    UnlockReleaseBuffer(page.buffer);
}

int64 server_identity() {
    return identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier());
}

}  // namespace idgen::pg
