// What all sessions share: the slots, the databases, an entry for each backend.
//
// Locking. Two kinds of lock, taken in this order:
//   1. SharedState::lock, an LWLock that is only taken exclusive: giving out or taking back a slot, and the entry of a
//      database. A session that needs it can be canceled while it waits. Sessions keep a reference to the slot that
//      they last used, and find others, without it. Statistics do without it, too.
//   2. SharedSlot::mutex, a spinlock: the slot itself, its key and its generation. Held for one take, or one copy.
// Nothing that can raise an error runs under either. The order of all locks is in src/locks.md.
//
// The whole is one block of memory with numbers instead of pointers: it may lie at different addresses in different
// processes.
#pragma once

#include "pg/postgres.hpp"

#include <initializer_list>

#include "core/horizon/trusted_clock.hpp"
#include "core/reading/settled_pairs.hpp"
#include "core/slot/directory.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/state/own_shards.hpp"

namespace idgen::pg {

// Keeps the log readable whatever happens: a limit of messages a minute, of one process or of all that share the
// budget. One word, so that it can lie in shared memory.
class LogBudget {
   public:
    void initialise() noexcept { pg_atomic_init_u64(&word_, 0); }

    // Whether one more may be written now, of `most` a minute, 1 to 255.
    bool spend(uint32 most) noexcept {
        constexpr uint64 minute_ms = 60000;
        constexpr int count_bits = 8;
        uint64 word = pg_atomic_read_u64(&word_);
        uint64 spent = word & ((1 << count_bits) - 1);
        auto now_ms = static_cast<uint64>(monotonic_ms());
        bool is_new_minute = spent == 0 || now_ms - (word >> count_bits) >= minute_ms;
        if (!is_new_minute && spent >= most) return false;
        // Another session may spend at the same instant: then it writes, and this one does not.
        return compare_exchange(word_, word, is_new_minute ? now_ms << count_bits | 1 : word + 1);
    }

   private:
    pg_atomic_uint64 word_;  // atomic; when the minute began, and how many were written since
};

// Rows that arrive from other nodes with IDs of shards of this one, as triggers of tables that are watched count them;
// of one database.
struct Arrivals {
    pg_atomic_uint64 others;      // atomic; IDs that another node made (pg/state/slot_directory.hpp)
    pg_atomic_uint64 perhaps;     // atomic; of shards of this node, that it may have made
    pg_atomic_uint64 last_id;     // atomic; the last that another node made
    pg_atomic_uint64 last_place;  // atomic; its table and the origin of its row: a place_of()

    void forget() noexcept {
        for (pg_atomic_uint64 *value : {&others, &perhaps, &last_id, &last_place}) pg_atomic_write_u64(value, 0);
    }
};

// A table and a replication origin in one word.
constexpr uint64 place_of(Oid table, uint16 origin) noexcept {
    return static_cast<uint64>(table) << 16 | origin;
}

constexpr Oid table_of(uint64 place) noexcept {
    return static_cast<Oid>(place >> 16);
}
constexpr uint16 origin_of(uint64 place) noexcept {
    return static_cast<uint16>(place);
}

// What is logged, each at most once a minute.
enum class Cause : uint8 {
    clock_forward,
    clock_back,
    clock_not_synchronized,
    clock_disrupted,
    shard_full  // the last: see causes
};
constexpr size_t causes = static_cast<size_t>(Cause::shard_full) + 1;

using SharedSlot = SlotEntry<SpinLock>;
using SharedReference = SlotReference<SpinLock>;
static_assert(sizeof(SharedSlot) == 2 * cache_line && offsetof(SharedSlot, link) == cache_line &&
                  offsetof(SharedSlot, full) + sizeof(FullRun) <= cache_line,
              "a take touches one cache line, a search the other");
static_assert(std::is_standard_layout_v<SharedSlot> && std::is_trivially_destructible_v<SharedSlot>,
              "lives in shared memory");

// The lock of renewals guards what the core says that it does; it is taken conditionally, and held for one write and
// flush of a page.
struct SharedDatabase : DatabaseEntry {
    LightLock renewal_lock;
    pg_atomic_uint64 renewals;    // atomic; windows granted
    pg_atomic_uint64 renewed_ms;  // atomic; when the last was, by the clock; 0: none yet
    pg_atomic_uint64 stall;       // atomic; see core/horizon/renewal.hpp
    pg_atomic_uint64 refused;     // atomic; the last renewal that was, since one was granted: a refused_word(); 0: none
    pg_atomic_uint64 told_try_ms;  // atomic; when standbys were last to be told, by the clock
    SettledPairs<SpinLock> pairs;  // guard: its own
    Arrivals arrivals;             // atomic

    // Forgets what the core does not know of.
    void forget_more() noexcept {
        for (pg_atomic_uint64 *value : {&renewals, &renewed_ms, &stall, &refused, &told_try_ms})
            pg_atomic_write_u64(value, 0);
        arrivals.forget();
    }
};
// 24 lines where what a base leaves of its last one is not used, as on macOS on arm64.
static_assert((sizeof(SharedDatabase) == 23 * cache_line || sizeof(SharedDatabase) == 24 * cache_line) &&
                  std::is_trivially_destructible_v<SharedDatabase>,
              "lives in shared memory");

// What a backend draws. Written only by that backend, except for a reset, and read by any process without a lock: what
// is read may come from two draws in a row.
struct alignas(cache_line) SharedBackend {
    pg_atomic_uint64 ids;         // atomic; made since the backend started
    pg_atomic_uint64 ids_before;  // atomic; of them, made before the last reset
    pg_atomic_uint64 last_id;     // atomic; the last of them; 0: it has made none
    pg_atomic_uint64 slot_tag;    // atomic; it drew from here: a tag_of()
    pg_atomic_uint64 waits;       // atomic; its draws that waited for a tick
    pg_atomic_uint64 wait_us;     // atomic; how long they did
    pg_atomic_uint32 pid;         // atomic; 0: the entry is free; written last
    Oid database;                 // guard: the LWLock to write; InvalidOid: has no database's entry yet
    Oid user;                     // const while pid is set
    uint32 process;               // const while pid is set; see process_number()
};
static_assert(sizeof(SharedBackend) == cache_line && std::is_trivially_destructible_v<SharedBackend>,
              "lives in shared memory");

using SharedProcess = ProcessEntry<SpinLock>;
static_assert(sizeof(SharedProcess) == cache_line && std::is_trivially_destructible_v<SharedProcess>,
              "lives in shared memory");

// The lengths of the arrays behind a SharedState. Const after the start.
struct StateSizes {
    uint32 max_slots;
    uint32 max_databases;
    uint32 bucket_count;
    uint32 backend_count;
    uint32 prepared_count;
};

struct alignas(cache_line) SharedState : StateSizes {
    LightLock lock;                                          // of the directory
    int tranche;                                             // const after the start
    DirectoryState directory IDGEN_LOCKS(guarded_by(lock));  // guard: lock
    BootId boot;                                             // const after the start
    uint64 began_in;                                         // const after the start; in which machine that was
    AcceptedClock accepted_clock;                            // atomic
    pg_atomic_uint32 synchronous;                            // atomic; idgen.synchronous, as a session read it last
    pg_atomic_uint64 noted_clock_ms;  // atomic; CLOCK_REALTIME less CLOCK_BOOTTIME when last looked at
    pg_atomic_uint64 steps_forward;   // atomic; times that the clock was set, as seen
    pg_atomic_uint64 steps_back;      // atomic
    pg_atomic_uint64 errors;          // atomic; calls that made no ID
    LogBudget log_budgets[causes];    // atomic; one message of each cause a minute
    LightLock prepared_lock;          // to write announcements of prepared transactions
    pg_atomic_uint64 first_xid;  // atomic; whatever was prepared before the start has a lower one; 0: not known yet
    std::atomic<bool> old_prepared_ended;  // atomic; none of those is left (core/reading/settled.hpp)
    pg_atomic_uint64 disruptions;          // atomic; the marker of the machine's page when last looked at
    pg_atomic_uint64 doubt_error_us;  // atomic; the kernel's bound as last seen since that changed, plus 1; 0: no doubt
    pg_atomic_uint32 copied;          // atomic; how often this machine was seen to be a copy (pg/host/machine.hpp)
};

// What the other kinds of ID keep in the same memory, right behind the SharedState, where their makers find it at once.
// Its guards are its own. What is declared here of it is defined by kinds/pg, which is linked into this module.
struct SharedKinds;
size_t size_of_kinds() noexcept;  // whole cache lines
// Gives the memory, which is zero, its first state.
void initialise(SharedKinds &kinds) noexcept;

inline SharedKinds &kinds_of(SharedState *state) noexcept {
    return *reinterpret_cast<SharedKinds *>(state + 1);
}

using SlotDirectory = Directory<SpinLock, SharedDatabase>;

SharedSlot *slots_of(SharedState *state) noexcept;
SharedBackend *backends_of(SharedState *state) noexcept;
SharedProcess *processes_of(SharedState *state) noexcept;  // by process_number()
PreparedEntry *prepared_of(SharedState *state) noexcept;   // guard of writing: prepared_lock
SharedLeases &leases_of(SharedState *state) noexcept;

// The directory, while the lock is held; and to call what needs no lock of it.
SlotDirectory directory_of(SharedState *state) noexcept IDGEN_LOCKS(requires_capability(state->lock));
const SlotDirectory unlocked_directory_of(SharedState *state) noexcept;

// Called when the server starts, with shared_preload_libraries.
void install_shared_state_hooks();

// Called when a session loads the library that the server did not load at its start.
void note_loading();

// Announces idgen.synchronous to all processes, unless this one has an old value: a parallel worker has its leader's, a
// running statement that of its beginning.
void publish_synchronous(int value) noexcept;

// Whether the server loaded the library when it started.
bool is_preloaded() noexcept;

// The state, if this process is attached to it; else null.
SharedState *attached_state() noexcept;

// The state, attached on the first call; null if the server did not load the library.
SharedState *find_shared_state();
// The same; raises there.
SharedState *shared_state();

// Counts a call that makes no ID.
void note_error() noexcept;
[[noreturn]] void refuse(const Refusal &refusal);

// Notes which transactions can have drawn since the start: whatever is prepared with a lower number may have drawn
// before, and it is not known from where. To be called before a backend draws.
void note_first_xid(SharedState *state) noexcept;

// Reads the clock. Counts and logs it if the clock was set since some session last looked.
ClockReading watched_clock(SharedState *state);

// Has all that was held in the machine before this one left, if it was copied with its memory; logs it once. Called
// before anything is granted in this one.
void note_copied_machine(SharedState *state);

// Whether what the kernel says of its clock may be of before this machine was moved or paused.
bool is_clock_doubtful(SharedState *state, const ClockState &kernel) noexcept;

// Whether it is this session's turn to write to the log. True at most once a minute for each cause, on the whole server.
bool may_log(SharedState *state, Cause cause) noexcept;

}  // namespace idgen::pg
