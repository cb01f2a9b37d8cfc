#include "pg/draw/wait.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// How long a session sleeps between looks at a renewal that others must finish.
constexpr int64 renewal_poll_us = 200;

}  // namespace

int64 waited_ms(const Wait &wait) noexcept {
    return wait.began_ms == 0 ? 0 : monotonic_ms() - wait.began_ms;
}

void sleep_in(Wait &wait, int64 us) {
    if (wait.began_ms == 0) {
        wait.began_wall_ms = wall_ms();
        wait.began_ms = monotonic_ms();
    }
    sleep_us(us);
}

void wait_for_renewal(const Outcome &outcome, Record record, Wait &wait) {
    switch (patience_after(outcome.renewal, waited_ms(wait), settings.max_wait_ms)) {
        case Patience::go_on:
            return;
        case Patience::refused:
            report_refused(outcome, record);
        case Patience::exhausted:
            report_not_renewed(outcome.renewal, record, settings.max_wait_ms);
        case Patience::wait:
            sleep_in(wait, renewal_poll_us);
    }
}

}  // namespace idgen::pg
