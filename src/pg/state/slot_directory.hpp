// Which slot belongs to whom: finds a slot, gives one out, takes idle ones and those of dropped
// databases back. Locking: see shared_state.hpp.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// A slot as a session keeps it; valid while the slot still has that generation.
struct SlotHandle {
    SharedSlot *slot;
    uint32 generation;
};

// A slot's number and generation in one word, for what cannot keep a pointer.
inline uint64 place_of(SharedState *state, const SlotHandle &handle) noexcept {
    return static_cast<uint64>(handle.generation) << 32 | static_cast<uint64>(handle.slot - slots_of(state));
}

// The place of what no slot made.
constexpr uint64 no_place = UINT32_MAX;

// A slot that made no ID for so long, with its last tick over, may be given to somebody else.
constexpr int64 slot_idle_ms = 500;

// The slot of a shard of this session's database, given out if there is none yet. Raises where no slot is to
// be had.
SlotHandle find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                     int64 now_ms);

// Makes every slot of this session's database go on at or above `at_ms`: with `may_lower` also those that
// have come further.
void place_slots(SharedState *state, int64 at_ms, bool may_lower) noexcept;

}  // namespace idgen::pg
