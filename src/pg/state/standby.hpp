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

// Whether a standby, or a copy of the WAL, follows this server: one is streaming now, or has a slot. A base backup and a
// subscriber do not count.
bool has_standby();

// The walsenders of synchronous standbys that are streaming.
uint32 connected_standbys() noexcept;

}  // namespace idgen::pg
