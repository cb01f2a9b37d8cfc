// Draws an ID, or a timestamp, above one that was observed elsewhere.
#pragma once

#include "pg/state/source.hpp"

namespace idgen::pg {

// Takes one ID that is larger than `id` and than what the session drew. Requires a resolved source. Waits,
// asleep, and raises as settings say; at once where `id` lies further ahead of the clock than they would ever
// allow.
int64 draw_above_id(Source &source, int64 id);

// Takes the timestamp of an event that has observed another: larger than `remote`.
int64 draw_above_hlc(Source &source, int64 remote);

}  // namespace idgen::pg
