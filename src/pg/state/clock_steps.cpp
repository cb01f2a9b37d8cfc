#include "pg/state/clock_steps.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/report_log.hpp"
#include "pg/state/log_limit.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

int64 look_for_clock_step(SharedState *state) {
    int64 difference_ms = wall_minus_boot_ms();
    uint64 noted = pg_atomic_read_u64(&state->noted_clock_ms);
    int64 step_ms = step_between(static_cast<int64>(noted), difference_ms);
    if (step_ms == 0) return difference_ms;
    // Of all sessions that see the step one counts it.
    auto now = static_cast<uint64>(difference_ms);
    if (!pg_atomic_compare_exchange_u64(&state->noted_clock_ms, &noted, now)) return difference_ms;
    bool is_forward = step_ms > 0;
    pg_atomic_fetch_add_u64(is_forward ? &state->steps_forward : &state->steps_back, 1);
    if (may_log(state, is_forward ? Cause::clock_forward : Cause::clock_back))
        log_clock_step(step_ms, settings.max_lead_ms, settings.max_clock_jump_ms);
    return difference_ms;
}

ClockReading watched_clock(SharedState *state) {
    // The difference first: a step forward in between then makes what rests on both later, not earlier.
    int64 difference_ms = look_for_clock_step(state);
    return {wall_ms(), difference_ms};
}

}  // namespace idgen::pg
