// The sequences of the extension behind which durable records lie, or that mirror them: opened, locked, and looked up.
#pragma once

#include "pg/host/own_extension.hpp"
#include "pg/host/sequence_pages.hpp"

namespace idgen::pg {

// Where the sequences are.
extern OwnSchema own_schema;

// How long to sleep between tries of what cannot be waited for otherwise: a lock taken conditionally, standbys.
constexpr int64 poll_us = 1000;

// Opens the sequence with a lock that is held until close_sequence. Not granted if another session holds a lock against
// it, or if it is not a sequence or is unlogged.
Renewal try_open_sequence(Record kind, Relation &sequence);
// The same, and a wait for the lock. Raises if it is refused.
Relation open_sequence(Record kind);
void close_sequence(Relation sequence);

// Whether a record would be gone with the transaction while others rest on it: if it gave the sequence another file
// (ALTER SEQUENCE), or created it in the place of one that others still see; and if nothing is logged of one that is
// new (wal_level = minimal). A first one that the transaction created goes with all that rests on it. Looks into the
// catalog if the transaction changed anything.
bool is_uncommitted(Relation sequence);

// Where a durable record lies: behind a sequence of the extension, idgen.horizon or idgen.generator, in a page of its
// own (host/sequence_pages.hpp):
//
//      block 0   the sequence's page:  last_value mirrors the number, log_cnt the identity; -1 with a block 1
//      block 1   its payload is the RecordPage
//
// pg_dump carries the mirror along. What nextval, setval and subscriptions write to block 0 is ignored while there is a
// block 1; only a sequence that has none yet (just created, restored from a dump, given a new file) is read from block
// 0. Both are written in one WAL record, as full images: of a page that another process changed without logging it, or
// that was torn, a delta would leave a wrong copy.
//
// A disk that loses the write of block 1 gives an older version of it back. The mirror still says how far the record
// was, unless something else has written it since, which leaves another log_cnt: the further of the two counts.

// Reads the page without touching anything, also on a standby.
Renewal peek_page(Record kind, RecordPage &page);
Renewal peek_record(Record kind, DurableRecord &record);

// The pages under their exclusive locks, from lock_page to unlock_page.
struct DurablePage : RecordPage {
    Relation sequence;
    Buffer mirror;
    Buffer own;  // invalid: there is none yet
};
// Reads the record and keeps it locked; not granted, and nothing locked, if there is none that can be read.
Renewal lock_page(Relation sequence, DurablePage &page);
// Whether the record lies in a page of its own already.
bool has_own_record(const DurablePage &page) noexcept;
// Where the log record ends that wrote it last.
XLogRecPtr lsn_of(const DurablePage &page) noexcept;
// Writes a record and its pairs; logged but not flushed. Gives the end of its log record.
// Makes the page of its own if there is none: only for the holder of the renewal lock, and never twice at once.
XLogRecPtr write_page(DurablePage &page, const RecordPage &content);
void unlock_page(DurablePage &page);

// Writes the first record, to block 0 alone: what a restored dump sets afterwards counts. Logged but not flushed; gives
// the end of its log record, or 0 with wal_level = minimal: then the file is flushed at the end of the transaction.
XLogRecPtr write_first_record(Relation sequence, const DurableRecord &record);

// Of which server a database is. The record of the horizon names it (DurableRecord::owner). pg_dump cannot carry that,
// so the value of the sequence idgen.origin mirrors it: CREATE EXTENSION, confirm_shards() and the first renewal after
// a start write it. The mirror counts only in a database whose horizon has no page of its own yet, such as one restored
// from a dump. What else writes to it changes nothing: nextval() fails, and a value that a subscription brought along,
// or that cannot be a system identifier, is not believed.

// The system identifier of this server.
int64 own_system() noexcept;

// Reads the system identifier of another server that the mirror names; 0: it names none. Not granted if another
// transaction holds a lock against it.
Renewal read_foreign_origin(int64 &foreign);

// Writes the mirror, if its sequence can be locked and holds another value. Requires a server that is not in recovery.
void mirror_origin(int64 system_identifier);

}  // namespace idgen::pg
