// Finds the slot of a shard: locks, asks the directory, and raises if no slot is to be had.
#pragma once

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

// The entry of this session's database, made for its first session; notes in the session's own that it has it.
SharedDatabase *my_database(SharedState *state, SharedBackend &backend);

// The same, null if no session has needed one.
SharedDatabase *find_database(SharedState *state) noexcept;

// How many databases have an entry and still exist.
uint32 count_databases(SharedState *state);

// Whether this server can have made an ID, by what it remembers. Only looks: it makes no slot and reads no horizon.
enum class Maker : uint8 {
    elsewhere,     // no ID of the layout, or of a shard that this node does not own
    perhaps_here,  // of a shard of this node, and not above all that it has made of it, as far as is known
    another,       // above all that: somebody else makes IDs of a shard of this node
};

// The IDs of a layout in this session's database. What comes from a group of Citus counts as elsewhere.
class OwnIds {
   public:
    explicit OwnIds(const Layout &layout) : layout_(layout), packing_(packing_of(layout)) {}

    // `shard`: of the ID, if it is of this node. Waits for the lock of the directory where the shard has no slot.
    Maker maker_of(int64 id, uint32 &shard) const;

   private:
    bool is_own(SharedState *state, uint32 shard) const noexcept;

    Layout layout_;
    Packing packing_;
};

}  // namespace idgen::pg
