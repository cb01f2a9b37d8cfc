// Whether a session of this database can make an ID now, with the settings that the caller has, the default layout, or one
// in use if that is not, and the shards that the node owns: by a draw in the order of every draw (core/draw/draw_order.hpp), over copies of what it
// would read. So it judges as a draw does. It takes and writes nothing, and a wait only moves its own clock on.
#pragma once

#include "pg/report/refusal.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

struct Survey;

struct Outlook {
    bool makes_ids;
    bool awaits_number;  // it makes them as soon as the registry grants a number, and nothing speaks against that
    Refusal refusal;     // why it makes none
    int64 found_ms;      // when a session found that, which a look cannot; 0: by the look
};

Outlook look_ahead(SharedState *state, const Survey &survey);

}  // namespace idgen::pg
