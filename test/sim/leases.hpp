// The numbers that a server holds from the registry, in its shared memory: the keeper claims and extends, sessions want
// and look.
#pragma once

#include <algorithm>

#include "core/layout/shard_set.hpp"
#include "registry/node/rules/lease.hpp"
#include "scenario.hpp"

namespace idgen::sim {

constexpr int max_leases = max_numbers;

// Of a number that is not held: its cap is 0.
inline const Lease no_lease{};

struct SharedLease {
    Lease lease;
    LeaseFor purpose;
};

struct Leases {
    SharedLease entries[max_leases];
    std::uint32_t changes;       // of the numbers in the pool
    std::uint64_t machine;       // in which they are held
    std::uint64_t kept_machine;  // in which the keeper began their lives

    // Room for so many numbers of the server's own choice.
    void begin(int pool_count, std::uint64_t now) noexcept {
        changes = 0;
        machine = kept_machine = now;
        for (int i = 0; i < max_leases; i++) {
            begin_life(entries[i].lease, 0);
            entries[i].purpose = i < pool_count ? LeaseFor::pool : LeaseFor::nothing;
        }
    }

    // None is drawn from any more if the machine is another; the rest is the keeper's.
    void leave(std::uint64_t now) noexcept {
        if (machine == now) return;
        for (SharedLease &entry : entries) entry.lease.cap_ms = 0;
        machine = now;
        changes++;
    }

    const Lease *find(std::uint32_t number) const noexcept {
        for (const SharedLease &entry : entries)
            if (entry.lease.number == number && is_held(entry.lease)) return &entry.lease;
        return &no_lease;
    }

    bool holds_any() const noexcept {
        for (const SharedLease &entry : entries)
            if (is_held(entry.lease) && !entry.lease.is_ending) return true;
        return false;
    }

    // R when the number was last taken; 0: it never was.
    std::int64_t last_claimed_ms() const noexcept {
        std::int64_t last_ms = 0;
        for (std::uint32_t number = 0; number < max_numbers; number++) last_ms = std::max(last_ms, claimed_ms(number));
        return last_ms;
    }
    std::int64_t claimed_ms(std::uint32_t number) const noexcept {
        std::int64_t claimed_ms = 0;
        for (const SharedLease &entry : entries)
            if (entry.lease.number == number) claimed_ms = std::max(claimed_ms, entry.lease.claimed_ms.load());
        return claimed_ms;
    }

    // Has the keeper claim a number that was given by hand.
    void want(std::uint32_t number) noexcept {
        for (const SharedLease &entry : entries)
            if (entry.purpose != LeaseFor::nothing && entry.lease.number == number) return;
        for (SharedLease &entry : entries) {
            if (entry.purpose != LeaseFor::nothing) continue;
            entry.lease.number = number;
            entry.purpose = LeaseFor::number;
            return;
        }
    }

    // Writes the numbers in the pool, ascending; gives how many.
    std::uint32_t list(ShardRange *numbers) const noexcept {
        std::uint32_t count = 0;
        for (std::uint32_t number = 0; number < max_leases; number++) {
            const Lease *lease = find(number);
            if (lease != &no_lease && !lease->is_ending) numbers[count++] = {number, number};
        }
        return count;
    }
};

}  // namespace idgen::sim
