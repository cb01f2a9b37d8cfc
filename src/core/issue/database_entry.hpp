// What the sessions of a database share. The two records that make its IDs durable each lie in a page
// (core/durable/renewal.hpp).
#pragma once

#include "core/durable/generators.hpp"
#include "core/durable/horizon.hpp"
#include "core/issue/slot_entry.hpp"

namespace idgen {

// In shared memory. Guards as the caller has them: the lock of renewals, the lock of the directory.
struct alignas(cache_line) DatabaseEntry {
    Horizon horizon;  // floor and grant: atomic; the rest: the lock of renewals
    // On a cache line of its own: renewals must not disturb the takes.
    alignas(cache_line) std::uint32_t database;  // guard: the directory's lock; its OID; 0: free
    std::uint32_t written_by;  // guard: the directory's lock; what last wrote its row in the catalog; 0: not known
    SlotCounts slots;          // guard: the directory's lock; slots that it holds
    Generators generators;     // the counter: atomic; the rest: the lock of renewals
    std::atomic<std::uint32_t> resets;  // atomic; how often the horizon was lowered
};
static_assert(offsetof(DatabaseEntry, database) % cache_line == 0 && std::is_trivially_destructible_v<DatabaseEntry>,
              "lives in shared memory");

// Forgets all that a start forgets.
inline void forget(DatabaseEntry &entry) noexcept {
    forget(entry.horizon);
    forget(entry.generators);
    entry.slots = {0, 0};
}

}  // namespace idgen
