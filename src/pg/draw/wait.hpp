// How long one draw has waited, for ticks and for renewals together.
#pragma once

#include "core/durable/renewal.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

struct Wait {
    int64 began_ms;       // by the clock that no step touches; 0: it has not begun
    int64 began_wall_ms;  // the time of day then
    bool is_counted;      // as one draw that waited for a tick
};

int64 waited_ms(const Wait &wait) noexcept;

// Sleeps, and begins the wait.
void sleep_in(Wait &wait, int64 us);

// Sleeps where a renewal was not granted and may be; raises where it is refused, or was waited for too long.
void wait_for_renewal(const Outcome &outcome, Record record, Wait &wait);

}  // namespace idgen::pg
