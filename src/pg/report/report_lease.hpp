// Numbers from a registry: what is set wrong, and why one is not held.
#pragma once

#include "pg/report/location.hpp"

namespace idgen::pg {

// Called from a check hook: its message is the server's, with the value.
void explain_bad_lease_range();
void explain_bad_registry();
void explain_bad_ttl();

// Why no ID can be made with a number, as far as this process can tell.
enum class LeaseTrouble : uint8 {
    no_registry,  // none is set
    no_keeper,    // nothing keeps numbers
    // Waiting may help.
    keeper_starting,  // what keeps them has not begun yet
    keeper_failing,   // it ends as it starts
    keeper_locked,    // it waits for a lock
    said,             // `sentence` says it
    asking,           // the keeper waits for the first answer
    unanswered,       // no call has succeeded
    waiting,          // the registry answers, and has not granted it yet
    begins,           // it is held, and its IDs begin later
};

struct NotHeld {
    LeaseTrouble trouble;
    const char *sentence;  // of the keeper
    const char *database;  // where the keeper works
    int32 keeper_pid;
    int64 answered_ms;
    int64 begins_ms;
    int64 waited_ms;
};

// The server's own numbers, and one that was given by hand.
[[noreturn]] void report_pool_not_held(const NotHeld &why, Location at = Location::here());
[[noreturn]] void report_number_not_held(uint32 number, const NotHeld &why, Location at = Location::here());

// A number by hand beside as many as one server can hold.
[[noreturn]] void report_too_many_numbers(uint32 number, uint32 most, Location at = Location::here());

// A region beside numbers that others hand out.
[[noreturn]] void report_region_beside_lease(int region, Location at = Location::here());

}  // namespace idgen::pg
