// Waits for a number from the registry (pg/state/leases.hpp): until it is held, or its horizon raised.
#pragma once

#include "pg/draw/wait.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// Asks for what the source lacks and sleeps a while; then its slot is to be selected again. Raises an error if the wait
// takes too long, or if the number can never arrive.
void wait_for_number(Source &source, Wait &wait);

}  // namespace idgen::pg
