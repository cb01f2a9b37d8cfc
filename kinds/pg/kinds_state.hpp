// What the kinds have of the server for themselves: a setting, which type is the type ulid, and in shared memory the last
// values of those that rise.
//
// Locking. SharedOrder::mutex, a spinlock: held for one value. Nothing that can raise an error runs under it.
#pragma once

#include "pg/postgres.hpp"

#include "core/slot/locks.hpp"
#include "kinds/core/time_prefixed.hpp"
#include "kinds/core/uuidv7.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// idgen.decimal_launch: the launch of DecimalIds.
extern int decimal_launch;

// Which type is the type ulid, wherever its schema is.
bool is_ulid_type(Oid type);

// The last value of a kind that rises strictly across all sessions of the server; all zero: none yet. Each kind on a
// cache line of its own: makers of one must not disturb those of another.
template <class Value>
struct alignas(cache_line) SharedOrder {
    SpinLock mutex;
    Value last IDGEN_LOCKS(guarded_by(mutex));      // guard: mutex
    uint64 machine IDGEN_LOCKS(guarded_by(mutex));  // guard: mutex; in which it was made; only of ULIDs
    LogBudget log_budget;                           // atomic; one message of a new order a minute
};

struct SharedKinds {
    SharedOrder<Ulid> ulid;
    SharedOrder<LastUuid> uuidv7;
};
static_assert(sizeof(SharedKinds) == 2 * cache_line && std::is_trivially_destructible_v<SharedKinds>,
              "lives in shared memory");

// Raises if the server did not load the library.
inline SharedKinds &shared_kinds() {
    return kinds_of(shared_state());
}

// Logs that a kind that rises goes on at a clock that far behind the last value.
void log_new_order(LogBudget &budget, const char *kind, int64 now_ms, int64 behind_ms);

}  // namespace idgen::pg
