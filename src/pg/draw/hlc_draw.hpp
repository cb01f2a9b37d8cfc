// Takes timestamps from the database's hybrid logical clock (core/kinds/hlc.hpp): a slot like that of a
// shard, found in the same directory, under the same floor, grant and renewals.
#pragma once

#include "core/kinds/hlc.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// No layout has such a shard, so the slot is nobody else's.
constexpr uint32 hlc_shard = max_shard + 1;

// Makes the source that of the clock; cheap where it is.
void resolve_hlc(Source &source, FunctionCallInfo fcinfo);

// Takes the timestamp of an event above a place. Waits, asleep, and raises as settings say.
int64 draw_hlc(Source &source, const Place &above);

}  // namespace idgen::pg
