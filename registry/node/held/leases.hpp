// The numbers that this server holds from a registry (registry/node/rules/lease.hpp), for all of its databases. Sessions say
// here what they want, and look for it; the keeper, a process of the module idgen_lease, claims and extends.
//
// A number may be drawn from while it is held. Those of the pool are the server's choice, for idgen.shards = 'lease';
// others are wanted by hand, because they are in idgen.shards while idgen.registry is set.
#pragma once

#include "pg/host/server_locks.hpp"
#include "pg/state/own_shards.hpp"
#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/lease_record.hpp"
#include "registry/node/rules/number_choice.hpp"

namespace idgen::pg {

// Long enough for the longest name of an owner.
constexpr size_t trouble_size = 256;

// Guard of what is not atomic: SharedLeases::lock. The entry of a number that was given up is free, and used again.
struct alignas(64) SharedLease {
    Lease lease;       // what is atomic: written by the keeper
    LeaseFor purpose;  // nothing: the entry is free
    // Atomic; an R of the number that this server was granted before, if it lies above the registry's: the IDs of
    // the number begin there.
    std::atomic<int64> granted_before_ms;
    char trouble[trouble_size];  // why the number cannot be kept now; empty: nothing
};
static_assert(std::is_trivially_destructible_v<SharedLease>, "lives in shared memory");

// Where the IDs of the number of an entry begin: R when it was last claimed, or what this server was granted before. 0:
// it never was claimed.
inline int64 begin_of(const SharedLease &entry) noexcept {
    return Max(entry.lease.claimed_ms.load(), entry.granted_before_ms.load());
}

// What the keeper says of the counters of which this server has numbers, or wants them.
struct CounterState {
    uint32 count;
    uint32 in_trouble;           // of them, those that give none
    int32 most_used_percent;     // of the numbers of the one that is nearest to its end
    char trouble[trouble_size];  // what is wrong, or will be soon; empty: nothing
};

// What the keeper says of the registry. Guard: SharedLeases::lock.
struct RegistryState {
    int32 keeper_pid;            // 0: none is running
    int64 answered_ms;           // when the registry last answered, unix ms; 0: never since the start
    int64 silent_since_ms;       // since when it does not; 0: it does
    char trouble[trouble_size];  // why, or what else is wrong that is not of one number; empty: nothing
    CounterState counters;
    RegistryIdentity registry;  // all zero: none was met yet
    OlderRegistry older;        // what shows that it was not advanced as it had to be; all zero: nothing
};

struct SharedLeases {
    LightLock lock;
    LightLock record_lock;            // of making the page of idgen_lease.record, and of writing to it
    pg_atomic_uint32 is_pool_wanted;  // atomic; some session draws from the pool
    pg_atomic_uint32 changes;         // atomic; of the numbers in the pool
    pg_atomic_uint32 count;           // atomic; entries that were ever used; rises under the lock
    pg_atomic_uint64 machine;         // atomic; in which the numbers are held; written under the lock
    pg_atomic_uint32 failed_starts;   // atomic; keepers one after another that ended before they had done anything
    RegistryState registry IDGEN_LOCKS(guarded_by(lock));
    // Of its PGPROC, which lies at one address in all processes; null: none runs.
    Latch *keeper_latch IDGEN_LOCKS(guarded_by(lock));
    GrantedHorizons granted;  // only of the keeper
    uint64 kept_machine;      // only of the keeper; the machine in which the lives of all entries began
    SharedLease leases[max_leases];
};

// Has the keeper look at what is wanted, if it runs.
void wake_keeper(SharedLeases &leases) noexcept;

// Makes room in the pool for that many numbers. False if the server has no room for that many.
bool fill_pool(SharedLeases &leases, uint32 count) noexcept;

// Gives the next entry of the pool to be given up if there are more than that many: one that holds no number, else the
// one with the highest. Null: there are no more.
SharedLease *find_surplus(SharedLeases &leases, uint32 count) noexcept;

// What the keeper says of the registry: the only way of its words to a reader, since they may hold an address.
RegistryState look_at_registry(SharedLeases &leases) noexcept;

// What the keeper says of one number, or of the first one in the pool of which it says anything.
struct NumberState {
    char trouble[trouble_size];  // empty: nothing
    int64 begins_ms;             // where its IDs begin; 0: it is not held
};
NumberState look_at_number(SharedLeases &leases, uint32 number) noexcept;
NumberState look_at_pool(SharedLeases &leases) noexcept;

// What a role may read of the words about a registry. They can hold its host, port and user, and what its server said:
// that is for superusers and members of pg_monitor, and for the server's log.

inline bool may_see_address() {
    return has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

// Puts bare words in the place of the keeper's, in a copy that is made for the current role. What it says of one number
// can name another node, a client of the registry, or a key there.
inline void hide_trouble(char (&trouble)[trouble_size]) {
    if (trouble[0] != '\0' && !may_see_address())
        strlcpy(trouble, "it cannot be kept now; members of pg_monitor see why", sizeof(trouble));
}
inline void hide_address(RegistryState &registry) {
    if (may_see_address()) return;
    if (registry.counters.trouble[0] != '\0')
        strlcpy(registry.counters.trouble, "some need attention", sizeof(registry.counters.trouble));
    if (registry.trouble[0] == '\0') return;
    const char *bare =
        registry.silent_since_ms != 0 ? "the registry does not answer" : "shards of this server cannot be kept now";
    strlcpy(registry.trouble, bare, sizeof(registry.trouble));
}

// What the keeper says of the registry, for the current role: the only way of its words to a reader.
inline RegistryState registry_for_reader(SharedLeases &leases) {
    RegistryState registry = look_at_registry(leases);
    hide_address(registry);
    return registry;
}

// How the process that keeps this server's numbers fares, as far as another process can know.

enum class KeeperState : uint8 {
    runs,
    locked,    // it waits for a lock of the server
    starting,  // it is to run, and does not yet: it waits for the end of recovery, or for its database
    failing,   // it ended as it started, more than once
    none,      // the server has not loaded idgen_lease
};

// By the process that called itself the keeper, 0 for none, and how often keepers ended as they started. No lock is
// held.
KeeperState keeper_state(int32 pid, uint32 failed_starts) noexcept;

// How the process that keeps the numbers fares that does not keep them, behind "the", and what helps.
const char *words_of(KeeperState keeper);
const char *advice_for(KeeperState keeper, int32 pid);

// What idgen.status() looks at of the numbers of this server: each that is wanted.
struct WantedNumber {
    int64 number;
    int64 horizon_ms;  // R, if it is held
    bool is_held;
    bool is_by_hand;             // stands in idgen.shards or in a call; else one of those that the registry chose
    int64 begins_ms;             // no ID lies below it
    char trouble[trouble_size];  // why it cannot be kept now; empty: nothing
};

struct LeaseSurvey {
    bool is_pool_wanted;  // some session draws from the numbers that the registry chose
    int64 window_ms;
    RegistryState registry;
    KeeperState keeper;
    WantedNumber *numbers;  // by palloc, ascending
    uint32 count;
    uint32 held;                      // of them
    int64 nearest_ms;                 // the smallest R of those; 0: none is held
    uint32 pool_held;                 // of them, those that the registry chose
    char pool_trouble[trouble_size];  // why there are not more of those; empty: nothing
};

// All that the keeper says is wrong; empty: nothing.
const char *all_troubles(const LeaseSurvey &leases);

}  // namespace idgen::pg
