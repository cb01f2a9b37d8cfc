// Which transactions of this database hold back what is settled: those that have announced a draw and run, and prepared
// ones (core/reading/settled.hpp).
#pragma once

#include "core/reading/settled.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// When a transaction that is being prepared hands over what it announced: then this is called.
constexpr XactEvent hand_over_event =
    hand_over_at == HandOver::before_end ? XACT_EVENT_PRE_PREPARE : XACT_EVENT_PREPARE;

// Hands over what this transaction and its workers announced. One that has drawn nothing needs an announcement only if
// it would be taken for one of before the start. Nothing of this session tells whether it has: its workers may be all
// that ever drew.
void hand_over_prepared();

// Up to where all is settled in this database below S, and who holds that back. Not during recovery: then the server
// would note which transactions are of this start, and they are not.
Settled gather_undecided(SharedState *state, int64 settled_ms);

// What a look at what is settled asks a primary for (core/reading/settled_pairs.hpp).
struct ReaderServer {
    SharedState *state;
    SharedDatabase *database;

    int64 durable_ms() const noexcept { return database->horizon.durable_ms.load(); }
    Settled gather() const;
    uint64 next_xid() const { return U64FromFullTransactionId(ReadNextFullTransactionId()); }
};

// For statistics; they only look.

// What is undecided now, without lifting S: all before `now_ms` or the first announcement is settled. Not during
// recovery.
Settled look_at_settled(SharedState *state, int64 now_ms);

// From where IDs are drawn for the transaction that a process is in, by it or its workers; 0: none were.
int64 announced_ms(SharedState *state, uint32 process, Oid database) noexcept;

// The prepared transactions of all databases that have drawn, or may have: then their `start_ms` is INT64_MIN.
struct PreparedCopies {
    PreparedAnnouncement *rows;  // by palloc
    uint32 count;
};
PreparedCopies copy_prepared(SharedState *state);

}  // namespace idgen::pg
