// How long one draw has waited, for ticks, renewals and numbers from the registry together; and the waits themselves. A
// draw whose slot was given to another shard meanwhile counts no wait.
#pragma once

#include "core/draw/draw_order.hpp"
#include "pg/host/clock.hpp"
#include "pg/number/numbers.hpp"
#include "pg/postgres.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

struct Wait {
    int64 began_ms;       // by the clock that no step touches; 0: it has not begun
    int64 began_wall_ms;  // the time of day then
    bool is_counted;      // as one draw that waited for a tick
};

inline int64 waited_ms(const Wait &wait) noexcept {
    return wait.began_ms == 0 ? 0 : monotonic_ms() - wait.began_ms;
}

// Sleeps, and begins the wait.
inline void sleep_in(Wait &wait, int64 us) {
    if (wait.began_ms == 0) {
        wait.began_wall_ms = wall_ms();
        wait.began_ms = monotonic_ms();
    }
    sleep_us(us);
}

// Sleeps until the clock admits the refused tick, or a while, and counts it.
void wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Wait &wait);

inline AwaitedNumber awaited_by(const Source &source) noexcept {
    return {source.follows_pool, source.shard};
}

// Asks for what the source lacks and sleeps a while; then its slot is to be selected again. Raises an error if the wait
// takes too long, or if the number can never arrive.
void wait_for_number(Source &source, Wait &wait);

// What a draw from a record asks the server for if nothing is left of that (core/draw/draw_order.hpp).
template <Record record>
struct RecordWaits {
    using Wait = pg::Wait;

    static int64 waited_ms(const Wait &wait) noexcept { return pg::waited_ms(wait); }
    static bool wait_for_renewal(Wait &wait) {
        constexpr int64 poll_us = 200;
        sleep_in(wait, poll_us);
        return true;
    }
    [[noreturn]] static void refuse_renewal(Patience, const Outcome &outcome, const Wait &) {
        raise(refusal_of_renewal(outcome, record, settings.max_wait_ms));
    }
    static DrawRules rules() noexcept { return draw_rules(); }
};

}  // namespace idgen::pg
