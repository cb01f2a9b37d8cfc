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

}  // namespace idgen::pg
