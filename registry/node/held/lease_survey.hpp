// What idgen.status() looks at of the numbers of this server, and what it says of them.
#pragma once

#include "registry/node/held/leases.hpp"

namespace idgen::pg {

// A number that is wanted.
struct WantedNumber {
    int64 number;
    int64 horizon_ms;  // R, if it is held
    bool is_held;
    bool is_by_hand;             // stands in idgen.shards or in a call; else one of those that the registry chose
    int64 begins_ms;             // no ID lies below it
    char trouble[trouble_size];  // why it cannot be kept now; empty: nothing
};

struct LeaseSurvey {
    bool is_pool_wanted;  // some session draws from the numbers that the registry chose
    int64 window_ms;
    RegistryState registry;
    KeeperState keeper;
    WantedNumber *numbers;  // by palloc, ascending
    uint32 count;
    uint32 held;                      // of them
    int64 nearest_ms;                 // the smallest R of those; 0: none is held
    uint32 pool_held;                 // of them, those that the registry chose
    char pool_trouble[trouble_size];  // why there are not more of those; empty: nothing
};

// All that the keeper says is wrong; empty: nothing.
const char *all_troubles(const LeaseSurvey &leases);

}  // namespace idgen::pg
