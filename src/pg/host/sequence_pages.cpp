#include "pg/host/sequence_pages.hpp"

namespace idgen::pg {
namespace {

// What PostgreSQL writes into the special space of a sequence's page.
constexpr uint32 sequence_magic = 0x1717;

// Never change: on disk.
struct Header {
    uint32 magic;
    uint16 version;
    uint16 size;  // of the payload
};
static_assert(sizeof(Header) == 8, "on disk");

char *payload_of(char *special) noexcept {
    return special + sizeof(Header);
}

// Of the header and a payload of `size` bytes.
pg_crc32c crc_of(const char *special, size_t size) noexcept {
    pg_crc32c crc;
    INIT_CRC32C(crc);
    COMP_CRC32C(crc, special, sizeof(Header) + size);
    FIN_CRC32C(crc);
    return crc;
}

}  // namespace

bool has_own_page(Relation sequence) {
    return RelationGetNumberOfBlocks(sequence) > own_block;
}

Buffer lock_block(Relation sequence, BlockNumber block, BufferLockMode mode) {
    Buffer buffer = ReadBuffer(sequence, block);
    LockBuffer(buffer, mode);
    return buffer;
}

Buffer add_own_page(Relation sequence) {
    Buffer own = lock_block(sequence, P_NEW, BUFFER_LOCK_EXCLUSIVE);
    Assert(BufferGetBlockNumber(own) == own_block);
    return own;
}

Form_pg_sequence_data sequence_data(Page page) noexcept {
    if (PageIsNew(page) || PageGetSpecialSize(page) < sizeof(uint32) ||
        *reinterpret_cast<uint32 *>(PageGetSpecialPointer(page)) != sequence_magic ||
        PageGetMaxOffsetNumber(page) < FirstOffsetNumber)
        return nullptr;
    ItemId item = PageGetItemId(page, FirstOffsetNumber);
    if (!ItemIdIsNormal(item)) return nullptr;
    auto *tuple = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    return reinterpret_cast<Form_pg_sequence_data>(reinterpret_cast<char *>(tuple) + tuple->t_hoff);
}

void set_sequence_data(Page page, int64 value, int64 log_cnt) noexcept {
    Form_pg_sequence_data data = sequence_data(page);
    Assert(data != nullptr);
    data->last_value = value;
    data->log_cnt = log_cnt;
    data->is_called = true;
}

Renewal read_own_page(Page page, const OwnPageFormat &format, void *payload, size_t room) noexcept {
    if (PageIsNew(page)) return Renewal::no_record;
    size_t special_size = PageGetSpecialSize(page);
    if (special_size < sizeof(Header)) return Renewal::no_record;
    char *special = PageGetSpecialPointer(page);
    Header header;
    memcpy(&header, special, sizeof(header));
    if (header.magic != format.magic) return Renewal::no_record;
    if (header.version > format.version) return Renewal::newer_record;
    if (header.size > room || sizeof(Header) + header.size + sizeof(pg_crc32c) > special_size)
        return Renewal::no_record;
    pg_crc32c stored;
    memcpy(&stored, payload_of(special) + header.size, sizeof(stored));
    if (!EQ_CRC32C(stored, crc_of(special, header.size))) return Renewal::no_record;
    memset(payload, 0, room);
    memcpy(payload, payload_of(special), header.size);
    return Renewal::granted;
}

void fill_own_page(Page page, const OwnPageFormat &format, const void *payload, uint16 size) noexcept {
    Assert(SizeOfPageHeaderData + sizeof(Header) + size + sizeof(pg_crc32c) <= BLCKSZ);
    PageInit(page, BLCKSZ, sizeof(Header) + size + sizeof(pg_crc32c));
    char *special = PageGetSpecialPointer(page);
    Header header{format.magic, format.version, size};
    memcpy(special, &header, sizeof(header));
    memcpy(payload_of(special), payload, size);
    pg_crc32c crc = crc_of(special, size);
    memcpy(payload_of(special) + size, &crc, sizeof(crc));
}

}  // namespace idgen::pg
