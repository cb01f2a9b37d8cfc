// Copies of the slots and of what backends draw, for statistics. Each slot is read under its own lock and no other, so
// a row is true in itself, the rows together are of slightly different instants, and no session that draws waits longer
// than for the copy of one slot.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Whose a slot is.
struct SlotOwner {
    Layout layout;  // the first that it was used with; layouts that pack alike share a slot
    uint32 shard;   // as it is packed
    bool is_clock;  // the hybrid logical clock of its database; else a shard
};

struct SlotCopy {
    SlotKey key;
    LayoutForm form;
    SlotUse use;
    Slot slot;
    uint64 waits;
    uint64 wait_us;
    uint32 max_lead_ms;
};

struct SlotCopies {
    SlotCopy *rows;  // by palloc
    uint32 count;
};

// The slots in use, of all databases.
SlotCopies copy_slots(SharedState *state);

inline bool is_of_database(const SlotCopy &copy, Oid database) noexcept {
    return copy.key.database == database;
}
SlotOwner owner_of(const SlotCopy &copy) noexcept;

struct BackendCopy {
    uint32 pid;
    Oid database;
    Oid user;
    uint64 ids;
    uint64 last_id;  // 0: none
    uint64 waits;
    uint64 wait_us;
    int64 announced_ms;  // from where it draws in the transaction that it is in; 0: it has drawn nothing in it
    bool has_slot;       // false: no slot made the last, or it was given to another shard since
    SlotOwner owner;     // of that slot
};

// Whether the entry is of a live backend that made IDs; copies it.
bool copy_backend(SharedState *state, uint32 number, BackendCopy &copy) noexcept;

// Whether a process that made no ID itself is in a transaction for which its parallel workers have; copies what is
// known of it.
bool copy_leader(SharedState *state, uint32 process, BackendCopy &copy) noexcept;

}  // namespace idgen::pg
