// What there is to know of the numbers that this server holds from a registry, and of the registry as its
// keeper sees it. Only looks.
#pragma once

#include "pg/state/keeper_state.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// A number that is wanted.
struct WantedNumber {
    int64 number;
    int64 horizon_ms;  // R, where it is held
    bool is_held;
    bool is_by_hand;             // stands in idgen.shards or in a call; else one of those that the registry chose
    int64 begins_ms;             // no ID lies below it
    char trouble[trouble_size];  // why it cannot be kept now; empty: nothing
};

struct LeaseSurvey {
    bool has_registry;    // idgen.registry is set; else nothing below is known
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

// `state` may be null: the library is not loaded.
LeaseSurvey survey_leases(SharedState *state);

}  // namespace idgen::pg
