#include "registry/node/held/leases.hpp"

#include <algorithm>

#include "pg/host/machine.hpp"

namespace idgen::pg {
namespace {

// Of a number that is not held: its cap is 0.
const Lease no_lease{};

SharedLease *first_of(SharedLeases &leases) noexcept {
    return leases.leases;
}
SharedLease *end_of(SharedLeases &leases) noexcept {
    return leases.leases + pg_atomic_read_u32(&leases.count);
}

bool is_of(const SharedLease &entry, uint32 number) noexcept {
    return entry.purpose != LeaseFor::nothing && entry.lease.number == number;
}

bool is_in_pool(const SharedLease &entry) noexcept {
    return entry.purpose == LeaseFor::pool && !entry.lease.is_ending;
}

void clear(SharedLease &entry) noexcept {
    begin_life(entry.lease, 0);
    entry.purpose = LeaseFor::nothing;
    entry.granted_before_ms = 0;
    entry.trouble[0] = '\0';
}

// One more entry, for a purpose; null if there is no room. Sessions may still look at the lease of the number that
// it had: it has drained, and its cap is 0.
SharedLease *add_entry(SharedLeases &leases, LeaseFor purpose) noexcept IDGEN_LOCKS(requires_capability(leases.lock)) {
    SharedLease *entry = first_of(leases);
    while (entry < end_of(leases) && entry->purpose != LeaseFor::nothing) entry++;
    if (entry == leases.leases + max_leases) return nullptr;
    clear(*entry);
    entry->purpose = purpose;
    if (entry == end_of(leases)) pg_atomic_fetch_add_u32(&leases.count, 1);
    return entry;
}

uint32 pool_size(SharedLeases &leases) noexcept IDGEN_LOCKS(requires_capability(leases.lock)) {
    return static_cast<uint32>(std::count_if(first_of(leases), end_of(leases), is_in_pool));
}

void look_at(const SharedLease &entry, NumberState &state) noexcept {
    strlcpy(state.trouble, entry.trouble, sizeof(state.trouble));
    state.begins_ms = is_held(entry.lease) ? begin_of(entry) : 0;
}

bool has_entry(SharedLeases &leases, uint32 number) noexcept IDGEN_LOCKS(requires_capability(leases.lock)) {
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++)
        if (is_of(*entry, number)) return true;
    return false;
}

// `is_new`: it was added.
bool add_number(SharedLeases &leases, uint32 number, bool &is_new) {
    PatientGuard guard(leases.lock);
    is_new = !has_entry(leases, number);
    if (!is_new) return true;
    SharedLease *entry = add_entry(leases, LeaseFor::number);
    if (entry != nullptr) entry->lease.number = number;
    return entry != nullptr;
}

// The high byte of a wait event is its class.
constexpr uint32 wait_class_mask = 0xFF000000;

bool waits_for_lock(int32 pid) noexcept {
    const PGPROC *process = BackendPidGetProc(pid);
    return process != nullptr && (process->wait_event_info & wait_class_mask) == PG_WAIT_LOCK;
}

}  // namespace

void wake_keeper(SharedLeases &leases) noexcept {
    Guard<LightLock> guard(leases.lock);
    if (leases.keeper_latch != nullptr) SetLatch(leases.keeper_latch);
}

size_t size_of_leases() noexcept {
    return sizeof(SharedLeases);
}

void initialise(SharedLeases &leases, int tranche, uint64 began_in) noexcept {
    leases.lock.initialise(tranche);
    leases.record_lock.initialise(tranche);
    for (pg_atomic_uint32 *value : {&leases.is_pool_wanted, &leases.changes, &leases.count, &leases.failed_starts})
        pg_atomic_init_u32(value, 0);
    leases.kept_machine = began_in;
    pg_atomic_init_u64(&leases.machine, machine());
    for (SharedLease &entry : leases.leases) clear(entry);
}

// Without the lock, since each draw on another shard comes here: whether the lease is still of that number is compared
// under the lock of its slot, with its cap.
const HeldNumber *find_lease(SharedLeases &leases, uint32 number) noexcept {
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++)
        if (entry->lease.number == number && entry->lease.cap_ms != 0) return &entry->lease;
    return &no_lease;
}

int64 claimed_ms(SharedLeases &leases, uint32 number) noexcept {
    int64 claimed_ms = 0;
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++)
        if (entry->lease.number == number) claimed_ms = std::max(claimed_ms, begin_of(*entry));
    return claimed_ms;
}

bool leave_numbers(SharedLeases &leases) noexcept {
    uint64 now = machine();
    if (pg_atomic_read_u64(&leases.machine) == now) return false;
    {
        Guard<LightLock> guard(leases.lock);
        if (pg_atomic_read_u64(&leases.machine) == now) return false;
        // The rest is the keeper's.
        for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++) entry->lease.cap_ms = 0;
        pg_atomic_write_u64(&leases.machine, now);
    }
    pg_atomic_fetch_add_u32(&leases.changes, 1);
    wake_keeper(leases);
    return true;
}

bool want_number(SharedLeases &leases, uint32 number) {
    bool is_new = false;
    bool is_there = add_number(leases, number, is_new);
    // Once: sessions look again and again, and the keeper looks by itself.
    if (is_new) wake_keeper(leases);
    return is_there;
}

void want_pool(SharedLeases &leases) noexcept {
    if (pg_atomic_exchange_u32(&leases.is_pool_wanted, 1) == 0) wake_keeper(leases);
}

bool fill_pool(SharedLeases &leases, uint32 count) noexcept {
    Guard<LightLock> guard(leases.lock);
    for (uint32 in_pool = pool_size(leases); in_pool < count; in_pool++)
        if (add_entry(leases, LeaseFor::pool) == nullptr) return false;
    return true;
}

SharedLease *find_surplus(SharedLeases &leases, uint32 count) noexcept {
    Guard<LightLock> guard(leases.lock);
    if (pool_size(leases) <= count) return nullptr;
    SharedLease *surplus = nullptr;
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++) {
        if (!is_in_pool(*entry)) continue;
        if (!is_held(entry->lease)) return entry;
        if (surplus == nullptr || entry->lease.number > surplus->lease.number) surplus = entry;
    }
    return surplus;
}

uint32 changes_of_pool(SharedLeases &leases) noexcept {
    return pg_atomic_read_u32(&leases.changes);
}

uint32 list_pool(SharedLeases &leases, uint32 *numbers) {
    uint32 count = 0;
    PatientGuard guard(leases.lock);
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++)
        if (is_in_pool(*entry) && is_held(entry->lease)) numbers[count++] = static_cast<uint32>(entry->lease.number);
    std::sort(numbers, numbers + count);
    return count;
}

RegistryState look_at_registry(SharedLeases &leases) noexcept {
    Guard<LightLock> guard(leases.lock);
    return leases.registry;
}

NumberState look_at_number(SharedLeases &leases, uint32 number) noexcept {
    NumberState state{};
    Guard<LightLock> guard(leases.lock);
    for (SharedLease *entry = first_of(leases); entry < end_of(leases); entry++)
        if (is_of(*entry, number)) look_at(*entry, state);
    return state;
}

NumberState look_at_pool(SharedLeases &leases) noexcept {
    NumberState state{};
    Guard<LightLock> guard(leases.lock);
    for (SharedLease *entry = first_of(leases); entry < end_of(leases) && state.trouble[0] == '\0'; entry++)
        if (is_in_pool(*entry)) look_at(*entry, state);
    return state;
}

KeeperState keeper_state(int32 pid, uint32 failed_starts) noexcept {
    if (pid != 0) return waits_for_lock(pid) ? KeeperState::locked : KeeperState::runs;
    if (failed_starts > 1) return KeeperState::failing;
    bool is_loaded = failed_starts == 1 || strstr(shared_preload_libraries_string, "idgen_lease") != nullptr;
    return is_loaded ? KeeperState::starting : KeeperState::none;
}

}  // namespace idgen::pg
