// What all sessions share: the slots, the databases, an entry for each backend.
//
// Locking. Two kinds of lock, taken in this order:
//   1. SharedState::lock, an LWLock: which slot belongs to whom. Finding a slot takes it shared;
//      giving out or taking back a slot takes it exclusive. Sessions keep a pointer to the slot that
//      they last used and need no LWLock while its generation stays the same.
//   2. SharedSlot::mutex, a spinlock: the slot itself and its generation. Held for one take, or to count.
// Nothing that can raise an error runs under either. Floors only rise, and rise before the
// LWLock is released, so a session that finds a new slot finds a floor that covers the old one.
//
// The whole is one block of memory with numbers instead of pointers: it may lie at different
// addresses in different processes.
#pragma once

#include "core/durable/horizon.hpp"
#include "core/issue/full_run.hpp"
#include "core/issue/slot.hpp"
#include "core/issue/slot_index.hpp"
#include "core/issue/slot_quota.hpp"
#include "core/kinds/decimal_id.hpp"
#include "core/kinds/ulid.hpp"
#include "core/kinds/uuid.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

constexpr size_t cache_line = 64;

// What the log is told of, each at most once a minute.
enum class Cause : uint8 {
    clock_forward,
    clock_back,
    clock_not_synchronised,
    shard_full,
    ulid_order,
    uuid_order  // the last: see causes
};
constexpr size_t causes = static_cast<size_t>(Cause::uuid_order) + 1;

struct alignas(cache_line) SharedSlot {
    slock_t mutex;
    uint32 generation;  // guard: mutex to read; to change, mutex and the LWLock
    Slot slot;          // guard: mutex
    FullRun full;       // guard: mutex
    // On a cache line of its own: searches must not disturb the takes.
    alignas(cache_line) SlotLink link;  // guard: the LWLock
    int64 given_ms;                     // guard: the LWLock; when it was given out, by the clock
    uint64 waits;                       // guard: mutex; draws that waited for a tick
    uint64 wait_us;                     // guard: mutex; how long they did
    LayoutForm form;                    // guard: the LWLock; of the layout that it was given out for
    Claim claim;                        // guard: the LWLock; as what it was given out
};
static_assert(sizeof(SharedSlot) == 2 * cache_line && offsetof(SharedSlot, link) == cache_line &&
                  offsetof(SharedSlot, full) + sizeof(FullRun) <= cache_line,
              "a take touches one cache line, a search the other");
static_assert(std::is_standard_layout_v<SharedSlot> && std::is_trivially_destructible_v<SharedSlot>,
              "lives in shared memory");

struct alignas(cache_line) SharedDatabase {
    Horizon horizon;  // floor and grant: atomic; the rest: renewal_lock
    // On a cache line of its own: renewals must not disturb the takes.
    alignas(cache_line) Oid database;  // guard: the LWLock; InvalidOid: free
    SlotCounts slots;                  // guard: the LWLock; slots that it holds
    LWLock renewal_lock;               // taken conditionally, held for one write and flush of the page
    XLogRecPtr pending_lsn;            // guard: renewal_lock; end of the pending record
    TransactionId created_by;          // guard: the LWLock; see enter_database_locked
    uint32 confirmations;              // guard: renewal_lock; of the clock, that the record reckons with
    pg_atomic_uint32 resets;           // atomic; how often the horizon was lowered
    pg_atomic_uint64 renewals;         // atomic; windows granted
    pg_atomic_uint64 renewed_ms;       // atomic; when the last was, by the clock; 0: none yet
    pg_atomic_uint64 stall;            // atomic; see pg/horizon/stall.hpp
    uint32 known_generator;            // guard: renewal_lock; last one taken for DecimalIds; 0: none
    uint32 pending_generator;          // guard: renewal_lock; of them, taken but not in use yet; 0: none
    XLogRecPtr generator_lsn;          // guard: renewal_lock; end of its record
    DecimalCounter decimal_counter;    // atomic
};
static_assert(sizeof(SharedDatabase) == 4 * cache_line &&
                  offsetof(SharedDatabase, database) == 2 * cache_line &&
                  std::is_trivially_destructible_v<SharedDatabase>,
              "lives in shared memory");

// What a backend draws. Written by that backend alone but for a reset, read by anybody without a lock: what
// is read may come from two draws in a row.
struct alignas(cache_line) SharedBackend {
    pg_atomic_uint64 ids;         // atomic; made since the backend started
    pg_atomic_uint64 ids_before;  // atomic; of them, made before the last reset
    pg_atomic_uint64 last_id;     // atomic; the last of them; 0: it has made none
    pg_atomic_uint64 place;       // atomic; it drew from here: place_of() a handle
    pg_atomic_uint64 waits;       // atomic; its draws that waited for a tick
    pg_atomic_uint64 wait_us;     // atomic; how long they did
    pg_atomic_uint32 pid;         // atomic; 0: nobody's; written last
    Oid database;                 // guard: the LWLock to write; InvalidOid: has no database's entry yet
    Oid user;                     // const while pid is set
};
static_assert(sizeof(SharedBackend) == cache_line && std::is_trivially_destructible_v<SharedBackend>,
              "lives in shared memory");

// The last value of a kind that rises strictly across all sessions of the server; all zero: none yet. Each
// kind on a cache line of its own: makers of one must not disturb those of another.
template <class Value>
struct alignas(cache_line) SharedOrder {
    slock_t mutex;
    Value last;  // guard: mutex
};
static_assert(sizeof(SharedOrder<Ulid>) == cache_line && sizeof(SharedOrder<UuidStamp>) == cache_line &&
                  std::is_trivially_destructible_v<SharedOrder<Ulid>>,
              "lives in shared memory");

struct alignas(cache_line) SharedState {
    LWLock lock;
    int tranche;            // const after the start
    uint32 max_slots;       // const after the start
    uint32 bucket_count;    // const after the start
    uint32 backend_count;   // const after the start
    uint32 database_count;  // guard: lock; entries of the databases that were ever used
    int32 free_slot;        // guard: lock; head of the list of free slots
    SlotCounts slots;       // guard: lock; slots given out, the sum of the databases
    uint32 hand;            // guard: lock; where the search for an idle slot goes on
    BootId boot;            // const after the start
    // Highest accepted CLOCK_REALTIME less CLOCK_BOOTTIME in ms, for databases whose record says none of this
    // boot; atomic; only upward, but for confirmations.
    pg_atomic_uint64 accepted_clock_ms;
    pg_atomic_uint64 confirmed_clock_ms;   // atomic; the same difference as somebody said that it is right
    pg_atomic_uint32 clock_confirmations;  // atomic; how often; written after the difference
    pg_atomic_uint32 synchronous;          // atomic; idgen.synchronous, by whoever read it last
    SharedOrder<Ulid> ulid_order;
    SharedOrder<UuidStamp> uuid_order;
    pg_atomic_uint64 noted_clock_ms;   // atomic; the same difference when it was last looked at
    pg_atomic_uint64 steps_forward;    // atomic; times that the clock was set, as seen
    pg_atomic_uint64 steps_back;       // atomic
    pg_atomic_uint64 told_ms[causes];  // atomic; last message of each cause, monotonic; 0: none yet
};

using Index = SlotIndex<SharedSlot>;

SharedSlot *slots_of(SharedState *state) noexcept;
SharedDatabase *databases_of(SharedState *state) noexcept;
SharedBackend *backends_of(SharedState *state) noexcept;
Index index_of(SharedState *state) noexcept;

// Called when the server starts, with shared_preload_libraries.
void install_shared_state_hooks();

// Tells all processes idgen.synchronous.
void publish_synchronous(int value) noexcept;

// Whether the server loaded the library when it started.
bool is_preloaded() noexcept;

// The state, attached on the first call; null where the server did not load the library.
SharedState *find_shared_state();
// The same; raises there.
SharedState *shared_state();

}  // namespace idgen::pg
