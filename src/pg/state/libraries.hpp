// Which shared states sessions are attached to, where the server did not load the library when it started. If the file
// of the library is replaced below the running server, later sessions load another one, whose SharedState may be
// another: the two do not see each other's announcements, slots and floors.
//
//      a session before it draws:  join its state --> read the newest: refused if that is another
//      a session of a newer state: note that as the newest --> read who has joined another
//
// So no session joins an older state once there is a newer one. Those that had joined go on: each state draws from
// windows of its own (core/horizon/horizon.hpp). But as long as they are there, what rests on one state alone is
// refused: see require_one_state(). A restart ends them all.
//
// With shared_preload_libraries all processes have the library of the postmaster, and nothing here is used.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Notes that this session has the library whose state has that number, as it loads it: its parallel workers look. False
// if the server has no registry of such memory.
bool note_library(uint32 number);

// Raises in a parallel worker whose leader has another library, or none: if that one prepared its transaction, it would
// not hand over what the worker has drawn.
void require_leaders_library();

// Notes that there is the state of this session's library.
void note_state(uint32 number);

// Says that this session draws from its state, until it ends. Raises if there is a newer one. Requires note_state().
void join_state();

// Raises if there is a newer state than this session's, which would not know of what it prepares.
void require_newest_state();

// Raises if sessions have joined another state. `what` is the call that is refused.
void require_one_state(const char *what);

}  // namespace idgen::pg
