// What the durable records of this server are known by. A server that finds another identity than its own beside a
// record cannot know whether later records of that server are lost.
//
// The timeline and the system identifier; and the label of the backup that the server began as, if it did. A standby
// that becomes a primary without a promotion stays on the timeline of its origin: one whose standby.signal was removed,
// or that died while it was promoted. Only the label distinguishes such a server from its origin. Timelines need not be
// unique: see docs/how-it-works.md.
//
// And the machine, if its host tells when that is copied with its memory (machine.hpp): from then on it is another.
#pragma once

#include "pg/host/machine.hpp"

namespace idgen::pg {

// Never 0. Requires that the server is not in recovery. In the machine as it is now, or of that generation.
int64 server_identity(uint64 generation = machine());

// Whether another server may have made IDs in the databases of this one: it is not on the timeline that initdb began, or
// it began as a backup. Requires that the server is not in recovery.
bool is_successor();

// Whether the system identifier is younger than the timeline, as pg_createsubscriber leaves a standby: promoted first,
// given an identifier of its own then. An origin of that disk lives on under the old one. Elsewhere it is the other way
// round: initdb draws the identifier, promotions come later, and pg_upgrade begins with both new. A promotion is dated
// by the file of its timeline's history: if that is gone, or was copied without its time, it says nothing. Requires
// that the server is not in recovery.
bool is_converted();

}  // namespace idgen::pg
