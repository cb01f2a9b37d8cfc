// The numbers that this server holds from a registry (core/lease/lease.hpp), for all of its databases.
// Sessions say here what they want, and look for it; the keeper, a process of the module idgen_lease, claims
// and extends.
//
// A number may be drawn from while it is held. Those of the pool are the server's choice, for idgen.shards =
// 'lease'; others are wanted by hand, because they stand in idgen.shards where idgen.registry is set.
#pragma once

#include "core/lease/errand.hpp"
#include "core/lease/lease_record.hpp"
#include "pg/host/light_lock.hpp"

namespace idgen::pg {

// Numbers that one server can hold.
constexpr uint32 max_leases = 128;

struct alignas(64) SharedLease {
    Lease lease;       // what is atomic: written by the keeper; the rest: guard: SharedLeases::lock
    LeaseFor purpose;  // guard: SharedLeases::lock
};
static_assert(std::is_standard_layout_v<SharedLease> && std::is_trivially_destructible_v<SharedLease>,
              "lives in shared memory");

// What the keeper says of the registry. Guard: SharedLeases::lock.
struct RegistryState {
    int32 keeper_pid;           // 0: none is running
    int64 answered_ms;          // when the registry last answered, unix ms; 0: never since the start
    int64 silent_since_ms;      // since when it does not; 0: it does
    char trouble[256];          // why, or what else is wrong; empty: nothing
    RegistryIdentity registry;  // all zero: none was met yet
};

struct SharedLeases {
    LightLock lock;
    LightLock record_lock;            // of making the page of idgen_lease_record, and of writing to it
    pg_atomic_uint32 is_pool_wanted;  // atomic; some session draws from the pool
    pg_atomic_uint32 changes;         // atomic; of the numbers in the pool
    pg_atomic_uint32 count;           // atomic; entries that were ever used; rises under the lock
    pg_atomic_uint32
        failed_starts;  // atomic; keepers one after another that ended before they had done anything
    RegistryState registry IDGEN_LOCKS(guarded_by(lock));
    // Of its PGPROC, which lies at one address in all processes; null: none runs.
    Latch *keeper_latch IDGEN_LOCKS(guarded_by(lock));
    SharedLease leases[max_leases];
};

void initialise(SharedLeases &leases, int tranche) noexcept;

// The lease that caps the IDs of a number; of one that is not held, one that allows none.
const Lease *find_lease(SharedLeases &leases, uint32 number) noexcept;

// R when the number was last taken; 0 where it never was.
int64 claimed_ms(SharedLeases &leases, uint32 number) noexcept;

// Has the keeper claim the number, or fill the pool. False where there is no room for one more.
bool want_number(SharedLeases &leases, uint32 number) noexcept;
void want_pool(SharedLeases &leases) noexcept;

// Makes room in the pool for so many numbers.
void fill_pool(SharedLeases &leases, uint32 count) noexcept;

// Writes the numbers in the pool, ascending; gives how many.
uint32 list_pool(SharedLeases &leases, uint32 *numbers) noexcept;

}  // namespace idgen::pg
