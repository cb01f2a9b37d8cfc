// How the process that keeps this server's numbers fares, as far as another process can tell.
#pragma once

#include "pg/state/leases.hpp"

namespace idgen::pg {

enum class KeeperState : uint8 {
    runs,
    locked,    // it waits for a lock of the server
    starting,  // it is to run, and does not yet: it waits for the end of recovery, or for its database
    failing,   // it ended as it started, more than once
    none,      // the server has not loaded idgen_lease
};

// By the process that called itself the keeper, 0 for none, and how often keepers ended as they started. No
// lock is held.
KeeperState keeper_state(int32 pid, uint32 failed_starts) noexcept;

}  // namespace idgen::pg
