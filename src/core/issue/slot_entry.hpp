// A slot as a directory keeps it, and a session's reference to it. The reference is good as long as the
// slot has its generation: who takes a slot back raises that under the slot's lock, so no take meets a slot
// that is somebody else's by now.
#pragma once

#include <cstddef>

#include "core/issue/full_run.hpp"
#include "core/issue/guard.hpp"
#include "core/issue/slot.hpp"
#include "core/issue/slot_index.hpp"
#include "core/issue/slot_quota.hpp"

namespace idgen {

constexpr std::size_t cache_line = 64;

// In shared memory. `Lock` has lock() and unlock(), which raise nothing.
template <class Lock>
struct alignas(cache_line) SlotEntry {
    Lock mutex;
    std::uint32_t generation;                     // guard: mutex to read; to change, mutex and the directory's lock
    Slot slot IDGEN_LOCKS(guarded_by(mutex));     // guard: mutex
    FullRun full IDGEN_LOCKS(guarded_by(mutex));  // guard: mutex
    // On a cache line of its own: searches must not disturb the takes.
    alignas(cache_line) SlotLink link;                         // guard: the directory's lock
    std::int64_t given_ms;                                     // guard: the directory's lock; when it was given out
    std::uint64_t waits IDGEN_LOCKS(guarded_by(mutex));        // guard: mutex; draws that waited for a tick
    std::uint64_t wait_us IDGEN_LOCKS(guarded_by(mutex));      // guard: mutex; how long they did
    std::uint32_t max_lead_ms IDGEN_LOCKS(guarded_by(mutex));  // guard: mutex; the furthest lead of an ID
    LayoutForm form;                                           // guard: the directory's lock; of its layout
    Claim claim;                                               // guard: the directory's lock; as what it was given out
};

// Sets back what was counted.
template <class Lock>
void reset_counters(SlotEntry<Lock> &entry) noexcept IDGEN_LOCKS(requires_capability(entry.mutex)) {
    entry.slot.ids = entry.slot.holds = entry.slot.borrows = 0;
    entry.waits = entry.wait_us = 0;
    entry.max_lead_ms = 0;
}

template <class Lock>
struct SlotReference {
    SlotEntry<Lock> *entry;  // null: none
    std::uint32_t generation;
};

// Whether the slot is still the one that the reference was made for.
template <class Lock>
bool is_current(const SlotReference<Lock> &reference) noexcept
    IDGEN_LOCKS(requires_capability(reference.entry->mutex)) {
    return reference.entry->generation == reference.generation;
}

// The instant after the last tick of a slot, unix ms.
template <class Lock>
std::int64_t end_of(const SlotEntry<Lock> &entry) noexcept IDGEN_LOCKS(requires_capability(entry.mutex)) {
    const PackingKey &packing = entry.link.key.packing;
    return packing.epoch_ms + (entry.slot.tick + 1) * packing.unit_ms;
}

// Makes every reference to the slot invalid, if the instant after its last tick is at or before
// `idle_since_ms`; else changes nothing. Gives that instant.
template <class Lock>
bool retire_if_over(SlotEntry<Lock> &entry, std::int64_t idle_since_ms, std::int64_t &end_ms) noexcept {
    Guard<Lock> guard(entry.mutex);
    end_ms = end_of(entry);
    bool is_over = end_ms <= idle_since_ms;
    if (is_over) entry.generation++;
    return is_over;
}

}  // namespace idgen
