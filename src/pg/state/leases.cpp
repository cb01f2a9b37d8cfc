#include "pg/state/leases.hpp"

#include <algorithm>

namespace idgen::pg {
namespace {

// Of a number that is not held: its cap is 0.
const Lease no_lease{};

SharedLease *begin_of(SharedLeases &leases) noexcept {
    return leases.leases;
}
SharedLease *end_of(SharedLeases &leases) noexcept {
    return leases.leases + pg_atomic_read_u32(&leases.count);
}

bool is_of(const SharedLease &entry, uint32 number) noexcept {
    return entry.purpose != LeaseFor::nothing && entry.lease.number == number;
}

// One more entry, for a purpose; null where there is no room.
SharedLease *add_entry(SharedLeases &leases, LeaseFor purpose) noexcept
    IDGEN_LOCKS(requires_capability(leases.lock)) {
    uint32 count = pg_atomic_read_u32(&leases.count);
    if (count == max_leases) return nullptr;
    leases.leases[count].purpose = purpose;
    pg_atomic_write_u32(&leases.count, count + 1);
    return &leases.leases[count];
}

bool has_entry(SharedLeases &leases, uint32 number) noexcept
    IDGEN_LOCKS(requires_shared_capability(leases.lock)) {
    for (SharedLease *entry = begin_of(leases); entry < end_of(leases); entry++)
        if (is_of(*entry, number)) return true;
    return false;
}

bool is_wanted(SharedLeases &leases, uint32 number) noexcept {
    ReadGuard guard(leases.lock);
    return has_entry(leases, number);
}

bool add_number(SharedLeases &leases, uint32 number) noexcept {
    Guard<LightLock> guard(leases.lock);
    if (has_entry(leases, number)) return true;
    SharedLease *entry = add_entry(leases, LeaseFor::number);
    if (entry != nullptr) entry->lease.number = number;
    return entry != nullptr;
}

void wake_keeper(SharedLeases &leases) noexcept {
    ReadGuard guard(leases.lock);
    if (leases.keeper_latch != nullptr) SetLatch(leases.keeper_latch);
}

}  // namespace

void initialise(SharedLeases &leases, int tranche) noexcept {
    leases.lock.initialise(tranche);
    leases.record_lock.initialise(tranche);
    for (pg_atomic_uint32 *value :
         {&leases.is_pool_wanted, &leases.changes, &leases.count, &leases.failed_starts})
        pg_atomic_init_u32(value, 0);
    for (SharedLease &entry : leases.leases) {
        begin_life(entry.lease, 0);
        entry.purpose = LeaseFor::nothing;
    }
}

const Lease *find_lease(SharedLeases &leases, uint32 number) noexcept {
    ReadGuard guard(leases.lock);
    for (SharedLease *entry = begin_of(leases); entry < end_of(leases); entry++)
        if (is_of(*entry, number) && is_held(entry->lease)) return &entry->lease;
    return &no_lease;
}

int64 claimed_ms(SharedLeases &leases, uint32 number) noexcept {
    int64 claimed_ms = 0;
    for (SharedLease *entry = begin_of(leases); entry < end_of(leases); entry++)
        if (entry->lease.number == number) claimed_ms = std::max(claimed_ms, entry->lease.claimed_ms.load());
    return claimed_ms;
}

bool want_number(SharedLeases &leases, uint32 number) noexcept {
    if (is_wanted(leases, number)) return true;
    bool is_added = add_number(leases, number);
    // Once: sessions look again and again, and the keeper looks by itself.
    wake_keeper(leases);
    return is_added;
}

void want_pool(SharedLeases &leases) noexcept {
    if (pg_atomic_exchange_u32(&leases.is_pool_wanted, 1) == 0) wake_keeper(leases);
}

void fill_pool(SharedLeases &leases, uint32 count) noexcept {
    Guard<LightLock> guard(leases.lock);
    uint32 in_pool = 0;
    for (SharedLease *entry = begin_of(leases); entry < end_of(leases); entry++)
        if (entry->purpose == LeaseFor::pool) in_pool++;
    while (in_pool < count && add_entry(leases, LeaseFor::pool) != nullptr) in_pool++;
}

uint32 list_pool(SharedLeases &leases, uint32 *numbers) noexcept {
    uint32 count = 0;
    ReadGuard guard(leases.lock);
    for (SharedLease *entry = begin_of(leases); entry < end_of(leases); entry++)
        if (entry->purpose == LeaseFor::pool && is_held(entry->lease) && !entry->lease.is_ending)
            numbers[count++] = static_cast<uint32>(entry->lease.number);
    std::sort(numbers, numbers + count);
    return count;
}

}  // namespace idgen::pg
