// Leases in memory that outlives a crash of the server: a shared memory object of the machine, /dev/shm on Linux, whose
// name is the device and inode of the data directory. A copy of the directory has another inode, and another machine,
// container or boot has another memory. The server itself refuses to start in a data directory while a process of the
// one before is left there. So the server that finds the object is the only successor of the one that wrote it, and
// goes on with its numbers (registry/node/rules/lease.hpp) instead of waiting up to R.
//
// Without the object (no memory, an object of another user) nothing is lost but that.
#pragma once

#include "pg/postgres.hpp"
#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/number_choice.hpp"

namespace idgen::pg {

// Whose leases they are.
struct LeaseKeeper {
    RegistryIdentity registry;
    int64 identity;  // of the server
};

// Saves the lease of an entry; one that is not held, or ends, is forgotten for good. Called only by the keeper.
void save_lease(uint32 entry, LeaseFor purpose, const LeaseKeeper &keeper, const Lease &lease) noexcept;

// What the server before this one left.
struct LeftLease {
    SavedLease lease;
    int64 reached_ms;  // no ID of the server lies at or above it
};

// Finds a lease of a purpose whose number lies in a range, until it is saved again. False: there is none.
bool find_left_lease(LeaseFor purpose, const NumberRange &numbers, const LeaseKeeper &keeper, LeftLease &left) noexcept;

}  // namespace idgen::pg
