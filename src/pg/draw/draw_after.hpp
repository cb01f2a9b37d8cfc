// Draws an ID above one that was seen elsewhere.
#pragma once

#include "pg/state/source.hpp"

namespace idgen::pg {

// Takes one ID that is larger than `id` and than what the session drew. Requires a resolved source. Waits,
// asleep, and raises as settings say; at once where `id` lies further ahead of the clock than they would ever
// allow.
int64 draw_after(Source &source, int64 id);

}  // namespace idgen::pg
