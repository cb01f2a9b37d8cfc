#include "pg/horizon/durable_sequence.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/record_name.hpp"
#include "pg/report/report_horizon.hpp"

namespace idgen::pg {

OwnSchema own_schema("idgen");

namespace {

// How long to sleep between tries of a lock that is taken conditionally.
constexpr int64 poll_us = 1000;

// Whether a row of pg_class is that of a sequence with another file, which others see and the running
// transaction changed or deleted.
bool is_replaced_here(HeapTuple row, Relation sequence) {
    auto *visible = reinterpret_cast<Form_pg_class>(GETSTRUCT(row));
    HeapTupleHeader header = row->t_data;
    bool is_other = visible->relkind == RELKIND_SEQUENCE && visible->relfilenode != sequence->rd_rel->relfilenode;
    if (!is_other || TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(header))) return false;
    if ((header->t_infomask & HEAP_XMAX_INVALID) != 0 || HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask)) return false;
    return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header));
}

}  // namespace

Renewal check_sequence(Relation sequence) noexcept {
    if (sequence->rd_rel->relkind != RELKIND_SEQUENCE) return Renewal::no_record;
    bool is_permanent = sequence->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT;
    return is_permanent ? Renewal::granted : Renewal::unlogged;
}

Renewal try_open_sequence(Record kind, Relation &sequence) {
    Oid oid = own_schema.find_relation(name_of(kind));
    if (!OidIsValid(oid)) return Renewal::no_record;
    if (!ConditionalLockRelationOid(oid, RowExclusiveLock)) return Renewal::locked;
    sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) {
        UnlockRelationOid(oid, RowExclusiveLock);
        return Renewal::no_record;
    }
    Renewal checked = check_sequence(sequence);
    if (checked != Renewal::granted) close_sequence(sequence);
    return checked;
}

Relation open_sequence(Record kind) {
    Relation sequence = nullptr;
    for (;;) {
        Renewal opened = try_open_sequence(kind, sequence);
        if (opened == Renewal::granted) return sequence;
        if (opened != Renewal::locked) report_refused({opened, 0}, kind);
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
    SysScanDesc scan = systable_beginscan(classes, ClassNameNspIndexId, true, SnapshotAny, 1, &key);
    bool is_replaced = false;
    for (HeapTuple row; !is_replaced && HeapTupleIsValid(row = systable_getnext(scan));)
        is_replaced = is_replaced_here(row, sequence);
    systable_endscan(scan);
    table_close(classes, AccessShareLock);
    return is_replaced;
}

}  // namespace idgen::pg
