// What keeps the durable horizon from being renewed, or a generator from being taken; and what the clock of this
// machine is refused for.
#pragma once

#include "core/horizon/renewal.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {

// Of an outcome that is not granted; one that waiting could have helped against was waited for that long.
Refusal refusal_of_renewal(const Outcome &outcome, Record kind, int64 waited_ms);

// What is doubtful of the clock, which counts as idgen.require_clock_sync says, "on" or "warn".
Refusal doubt_of_clock(const Outcome &clock, const char *required);

// What a copy of a database means that keeps the shards of the system `origin`; and one of a machine with its memory.
const char *detail_of_copy(int64 origin);
constexpr const char *resumed_detail =
    "If the machine of before, or another copy of it, lives on, both make the same IDs.";

}  // namespace idgen::pg
