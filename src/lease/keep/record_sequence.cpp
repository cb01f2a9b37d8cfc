#include "lease/keep/record_sequence.hpp"

#include "pg/host/own_schema.hpp"
#include "pg/host/sequence_pages.hpp"

namespace idgen::lease {
namespace {

constexpr pg::OwnPageFormat page_format{0x4944474C, 1};  // "IDGL"
static_assert(sizeof(LeasePage) <= BLCKSZ - SizeOfPageHeaderData - 16, "one page holds it");

}  // namespace

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
    if (read != pg::OwnPageRead::whole || page.count > most_remembered) page = LeasePage{};
    return read != pg::OwnPageRead::newer;
}

void write_record(Relation sequence, const LeasePage &page, pg::LightLock &making) {
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

}  // namespace idgen::lease
