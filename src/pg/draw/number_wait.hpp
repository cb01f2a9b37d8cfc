// Waits for a number from the registry: until it is held, or its horizon raised.
#pragma once

#include "pg/draw/wait.hpp"
#include "pg/number/numbers.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

inline AwaitedNumber awaited_by(const Source &source) noexcept {
    return {source.follows_pool, source.shard};
}

// Asks for what the source lacks and sleeps a while; then its slot is to be selected again. Raises an error if the wait
// takes too long, or if the number can never arrive.
void wait_for_number(Source &source, Wait &wait);

}  // namespace idgen::pg
