// This backend's own things: its entries in shared memory, and what it last drew with each packing.
#pragma once

#include "core/issue/draw_steps.hpp"
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

// What this backend last drew from its own shards with a packing, kept for its life; made on the first call.
DrawSession *session_of(const PackingKey &packing);

// A session that has drawn nothing.
DrawSession new_session() noexcept;

}  // namespace idgen::pg
