// The transaction that this process draws for (core/reading/transaction.hpp): what a session may know of a transaction, it
// asks here. Only this file's source, those who look at other processes, and the answers that a session keeps for its
// own transaction ask the server for the number of one; tools/rooms checks that. And which transactions hold back what
// is settled.
#pragma once

#include "core/reading/transaction.hpp"
#include "pg/host/machine.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

[[gnu::visibility("hidden")]] extern OwnTransaction<SpinLock> own_transaction;

// Finds the entry of its process, that of the leader for a parallel worker; cheap if it is found already. Without shared
// memory it is one of this process alone. Raises in a worker for whose leader nobody would look at the entry.
void attach_transaction();

// The step that every maker passes, of whatever kind, for each value that it hands out, with the machine that its last
// look compared. Needs neither shared memory nor a primary. Raises as attach_transaction().
void mark_slowly(uint64 machine);
inline void mark_own_transaction(uint64 machine) {
    if (unlikely(is_watched()) && unlikely(!own_transaction.is_marked(machine))) mark_slowly(machine);
}

// Raises if the transaction was handed anything in another machine than this one.
void require_one_machine(TransactionEvent event);

// Those of this database that hold back what is settled: that have announced a draw and run, and prepared ones
// (core/reading/settled.hpp).

// When a transaction that is being prepared hands over what it announced: then this is called.
constexpr XactEvent hand_over_event =
    hand_over_at == HandOver::before_end ? XACT_EVENT_PRE_PREPARE : XACT_EVENT_PREPARE;

// Hands over what this transaction and its workers announced. One that has drawn nothing needs an announcement only if
// it would be taken for one of before the start. Nothing of this session tells whether it has: its workers may be all
// that ever drew.
void hand_over_prepared();

// What a look at what is settled asks a primary for (core/reading/settled_pairs.hpp).
struct ReaderServer {
    SharedState *state;
    SharedDatabase *database;

    LiftedTo lift() const;
    Settled gather(int64 settled_ms) const;
    uint64 next_xid() const { return U64FromFullTransactionId(ReadNextFullTransactionId()); }
};

// For statistics; they only look.

// What is undecided now, without lifting S: all before `now_ms` or the first announcement is settled. Not in recovery.
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
