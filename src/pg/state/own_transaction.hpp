// The transaction that this process draws for (core/reading/transaction.hpp): what a session may know of a transaction, it
// asks here. Only this file's source, those who look at other processes, and the answers that a session keeps for its
// own transaction ask the server for the number of one; tools/rooms checks that.
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

}  // namespace idgen::pg
