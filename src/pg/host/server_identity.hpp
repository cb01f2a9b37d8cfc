// What the durable records of this server are known by. A server that finds another identity than its own
// beside a record cannot know whether later records of that server are lost.
//
// The timeline and the system identifier; and the label of the backup that the server began as, if it did. A
// standby that becomes a primary without a promotion stays on the timeline of its origin: one whose
// standby.signal was removed, or that died while it was promoted. Only the label tells such a server from its
// origin. Timelines need not be unique: see docs/how-it-works.md.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Never 0. Requires that the server is not in recovery.
int64 server_identity();

}  // namespace idgen::pg
