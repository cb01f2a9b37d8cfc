#include "lease/keep/record_sequence.hpp"

#include "pg/host/sequence_pages.hpp"

namespace idgen::lease {
namespace {

constexpr pg::OwnPageFormat page_format{0x4944474C, 1};  // "IDGL"
static_assert(sizeof(LeasePage) <= BLCKSZ - SizeOfPageHeaderData - 16, "one page holds it");

bool is_record_sequence(const FormData_pg_depend &member) {
    if (member.classid != RelationRelationId || member.deptype != DEPENDENCY_EXTENSION) return false;
    const char *name = get_rel_name(member.objid);
    return name != nullptr && strcmp(name, record_sequence) == 0;
}

}  // namespace

Oid find_record_sequence() {
    Oid extension = get_extension_oid("idgen_lease", true);
    if (!OidIsValid(extension)) return InvalidOid;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(extension));
    Relation depend = table_open(DependRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(depend, DependReferenceIndexId, true, nullptr, 2, keys);
    Oid found = InvalidOid;
    for (HeapTuple row; !OidIsValid(found) && HeapTupleIsValid(row = systable_getnext(scan));) {
        const auto &member = *reinterpret_cast<Form_pg_depend>(GETSTRUCT(row));
        if (is_record_sequence(member)) found = member.objid;
    }
    systable_endscan(scan);
    table_close(depend, AccessShareLock);
    return found;
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
    if (read != pg::OwnPageRead::whole || page.count > most_remembered) page = LeasePage{};
    return read != pg::OwnPageRead::newer;
}

void write_record(Relation sequence, const LeasePage &page, pg::LightLock &making) {
    making.lock();
    Buffer buffer = pg::has_own_page(sequence)
                        ? pg::lock_block(sequence, pg::own_block, BUFFER_LOCK_EXCLUSIVE)
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

}  // namespace idgen::lease
