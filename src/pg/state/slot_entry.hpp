// How a slot is taken back: first from those who keep a handle to it, then from the index.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

inline int32 number_of(SharedState *state, const SharedSlot &slot) noexcept {
    return static_cast<int32>(&slot - slots_of(state));
}

// The instant after the last tick of a slot. Requires its mutex.
inline int64 end_of(const SharedSlot &slot) noexcept {
    const PackingKey &packing = slot.link.key.packing;
    return packing.epoch_ms + (slot.slot.tick + 1) * packing.unit_ms;
}

// Makes every handle to the slot invalid and returns the instant after its last tick, if that is
// at or before `idle_since_ms`; else changes nothing.
inline bool retire_if_over(SharedSlot &slot, int64 idle_since_ms, int64 &end_ms) noexcept {
    SpinLockAcquire(&slot.mutex);
    end_ms = end_of(slot);
    bool is_over = end_ms <= idle_since_ms;
    if (is_over) slot.generation++;
    SpinLockRelease(&slot.mutex);
    return is_over;
}

// Takes a retired slot out of the index. Requires SharedState::lock, exclusive.
inline void free_slot_locked(SharedState *state, SharedSlot &slot) noexcept {
    int32 number = number_of(state, slot);
    index_of(state).remove(number);
    slot.link.next = state->free_slot;
    state->free_slot = number;
}

}  // namespace idgen::pg
