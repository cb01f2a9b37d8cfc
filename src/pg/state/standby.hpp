// Synchronous standbys: whether they must have a record before IDs rest on it, and whether they have. Decided by what
// all processes share, never by a session's own copy of a setting, which a running statement does not reload.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Whether idgen.synchronous asks for synchronous standbys and none is configured.
bool lacks_standbys(SharedState *state) noexcept;

// Whether the synchronous standbys, if any are configured, have flushed the WAL up to `lsn`. Asked of the walsenders,
// not by SyncRepWaitForLSN, which does nothing for sessions with synchronous_commit off or local, swallows a
// cancellation and has no end.
bool is_acknowledged(SharedState *state, XLogRecPtr lsn);

// Whether a standby, or another receiver of the whole WAL, follows this server: it is streaming now, or has a slot.
// Subscribers and slots of one session do not count; a base backup counts while it streams.
bool has_standby();

// Whether standbys may replay what this server writes: they are there, or its WAL is archived.
bool is_followed();

// The walsenders of synchronous standbys that are streaming.
uint32 connected_standbys() noexcept;

}  // namespace idgen::pg
