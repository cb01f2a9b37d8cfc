// The pages behind a sequence of the extension, where all lies that it remembers:
//
//      block 0   the sequence's page, which nextval, setval and subscriptions write too
//      block 1   our own page, which nothing of PostgreSQL writes. It has no line pointers; its special
//      space:
//                | magic 32 | version 16 | size 16 | payload | CRC-32C of all before, 32 |
//
// A sequence, because pg_dump can carry its value, and base backups, pg_upgrade and standbys without the library carry
// its pages; but LOCK, ANALYZE, TRUNCATE and publications of tables do not reach it.
#pragma once

#include "core/horizon/renewal.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Never change: on disk.
struct OwnPageFormat {
    uint32 magic;
    uint16 version;  // a later one may put fields at the end of the payload
};

constexpr BlockNumber sequence_block = 0;
constexpr BlockNumber own_block = 1;

// Whether there is a page of our own. The answer no may be old.
bool has_own_page(Relation sequence);

// Locks the content of a block, by a mode of LockBuffer.
Buffer lock_block(Relation sequence, BlockNumber block, BufferLockMode mode);

// Adds our own page, empty and locked. Requires that there is none, and that no other session adds one meanwhile.
Buffer add_own_page(Relation sequence);

// What the sequence's page holds; null if it is not such a page.
Form_pg_sequence_data sequence_data(Page page) noexcept;

// Sets what the sequence's page holds. Requires such a page.
void set_sequence_data(Page page, int64 value, int64 log_cnt) noexcept;

// Reads the payload of our own page, at most `room` bytes. What a shorter payload lacks becomes zero.
Renewal read_own_page(Page page, const OwnPageFormat &format, void *payload, size_t room) noexcept;

// Fills the whole of our own page. Requires a payload that fits.
void fill_own_page(Page page, const OwnPageFormat &format, const void *payload, uint16 size) noexcept;

}  // namespace idgen::pg
