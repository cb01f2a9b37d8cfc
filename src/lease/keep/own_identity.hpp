// What the record of this server's numbers is known by. Who is another by it cannot prove that they are his,
// and takes others.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::lease {

// Timeline and system identifier; and the backup that the server began as, if it did: started without
// recovery.signal it stays on the timeline of its origin, and must not take what that holds.
int64 own_identity();

}  // namespace idgen::lease
