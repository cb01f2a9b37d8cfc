// Synchronous standbys: whether they must have a record before IDs rest on it, and whether they have.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Raises where idgen.synchronous asks for synchronous standbys and none is configured.
void require_standbys();

// Whether the synchronous standbys, if any are configured, have flushed the WAL up to `lsn`. Asked of the
// walsenders, not by SyncRepWaitForLSN, which does nothing for sessions with synchronous_commit off or local,
// swallows a cancellation and has no end.
bool is_acknowledged(XLogRecPtr lsn);

// Whether synchronous_standby_names is set.
bool has_standby_names() noexcept;

// The walsenders of synchronous standbys that are streaming.
uint32 connected_standbys() noexcept;

}  // namespace idgen::pg
