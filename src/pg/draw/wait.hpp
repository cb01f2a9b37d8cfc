// How long one draw has waited, for ticks and for renewals together.
#pragma once

#include "pg/postgres.hpp"

#include "core/durable/renewal.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

struct Wait {
    int64 began_ms;       // by the clock that no step touches; 0: it has not begun
    int64 began_wall_ms;  // the time of day then
    bool is_counted;      // as one draw that waited for a tick
};

int64 waited_ms(const Wait &wait) noexcept;

// Sleeps, and begins the wait.
void sleep_in(Wait &wait, int64 us);

// Sleeps if a renewal was not granted and may be later; raises an error if it is refused, or if the wait takes too
// long.
void wait_for_renewal(const Outcome &outcome, Record record, Wait &wait);

// What stopped a draw. Times are unix ms.
struct Stopped {
    const Layout *layout;
    uint32 shard;
    int64 now_ms;
    int64 tick_start_ms;  // of the tick that was refused
    int64 waited_ms;
};

[[noreturn]] void report_full(const Stopped &stopped);

// Finds why a tick was refused, so that the clock is blamed only if it is to blame.

// Raises, with the reason, if it is another than the clock. Returns if the clock was set back or stands still.
void report_if_clock_is_well(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait);

}  // namespace idgen::pg
