// This backend's own things: its entries in shared memory, and what it last drew with each packing.
#pragma once

#include "core/issue/pool_cursor.hpp"
#include "core/issue/slot.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

struct Self {
    SharedState *state;
    SharedDatabase *database;
    SharedBackend *backend;
};

// Null before attach_backend().
extern Self self;

// Attaches `self`, cheap where it is. Raises where IDs cannot be made here: library not loaded by the
// server, or recovery.
void attach_backend();

// What this backend last drew from its own shards with one packing; kept for its life.
struct Session {
    PackingKey packing;
    LastDraw last;
    PoolCursor cursor;
    uint32 resets;  // of the horizon, when `last` was drawn
};

// The session of a packing, made on the first call.
Session *session_of(const PackingKey &packing);

// Forgets what was drawn before the horizon was lowered.
inline void note_resets(Session &session) noexcept {
    uint32 resets = pg_atomic_read_u32(&self.database->resets);
    if (session.resets == resets) return;
    session.resets = resets;
    session.last = LastDraw{};
}

}  // namespace idgen::pg
