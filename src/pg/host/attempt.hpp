// Runs what may raise an error that is not to be seen: what it does is not needed yet. Not a subtransaction, which no
// parallel worker can have: a resource owner of its own, so that buffers, relations and locks that an error leaves
// behind end, and LWLocks with them. What is run changes nothing in the transaction, and no LWLock is held when it is.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Calls run(argument). Drops an error that it raises, but not a cancellation or a termination.
void attempt(void (*run)(void *), void *argument);

}  // namespace idgen::pg
