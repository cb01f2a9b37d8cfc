// Finds the slot of a shard: locks, asks the directory, and raises if no slot is to be had.
#pragma once

#include "pg/report/refusal.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// A slot's number and generation in one word, for what cannot keep a pointer.
inline uint64 tag_of(SharedState *state, const SharedReference &slot) noexcept {
    return static_cast<uint64>(slot.generation) << 32 | static_cast<uint64>(slot.entry - slots_of(state));
}

// The tag of what no slot made.
constexpr uint64 no_slot_tag = UINT32_MAX;

// A slot that made no ID for that long, with its last tick over, may be given to another shard.
constexpr int64 slot_idle_ms = 500;

// The slot of a shard of this session's database, given out if there is none yet. Raises if no slot is to be had.
SharedReference find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                          int64 now_ms);

// What is short for one more slot.
Refusal refusal_of_slots(Shortage shortage);

// Which entry belongs to which database: locks, the server's catalog, and errors around the directory.

// The entry of this session's database, made for its first session; notes in the session's own that it has it.
SharedDatabase *my_database(SharedState *state, SharedBackend &backend);

// The same, null if no session has needed one.
SharedDatabase *find_database(SharedState *state) noexcept;

// Frees what belongs to databases that no longer exist. True if there was any.
bool free_dropped_databases(SharedState *state);

// How many databases have an entry and still exist.
uint32 count_databases(SharedState *state);

}  // namespace idgen::pg
