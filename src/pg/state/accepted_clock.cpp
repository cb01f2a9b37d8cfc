#include "pg/state/accepted_clock.hpp"

#include "pg/host/clock.hpp"
#include "pg/state/clock_steps.hpp"

namespace idgen::pg {

ClockReading watched_clock(SharedState *state) {
    // The difference first: a step forward in between then makes what rests on both later, not earlier.
    int64 difference_ms = look_for_clock_step(state);
    return {wall_ms(), difference_ms};
}

uint32 clock_confirmations(SharedState *state) noexcept {
    return pg_atomic_read_u32(&state->clock_confirmations);
}

int64 accepted_clock_ms(SharedState *state, const SharedDatabase *database,
                        const DurableRecord &record) noexcept {
    uint32 reckoned_with = database == nullptr ? 0 : database->confirmations;
    if (clock_confirmations(state) != reckoned_with)
        return static_cast<int64>(pg_atomic_read_u64(&state->confirmed_clock_ms));
    int64 recorded_ms = accepted_by(record, state->boot);
    if (recorded_ms != nothing_accepted) return recorded_ms;
    return static_cast<int64>(pg_atomic_read_u64(&state->accepted_clock_ms));
}

void raise_accepted_clock(SharedState *state, int64 accepted_ms) noexcept {
    pg_atomic_uint64 &highest = state->accepted_clock_ms;
    uint64 seen = pg_atomic_read_u64(&highest);
    while (static_cast<int64>(seen) < accepted_ms &&
           !pg_atomic_compare_exchange_u64(&highest, &seen, static_cast<uint64>(accepted_ms)))
        continue;
}

void accept_clock(SharedState *state) noexcept {
    auto difference_ms = static_cast<uint64>(wall_minus_boot_ms());
    pg_atomic_write_u64(&state->accepted_clock_ms, difference_ms);
    pg_atomic_write_u64(&state->confirmed_clock_ms, difference_ms);
    pg_atomic_fetch_add_u32(&state->clock_confirmations, 1);
}

}  // namespace idgen::pg
