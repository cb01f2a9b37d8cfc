#include "pg/horizon.hpp"

#include "core/clock_watch.hpp"
#include "core/horizon.hpp"
#include "pg/clock.hpp"
#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

constexpr int64 warning_interval_ms = 60000;

void check_clock_jump(SharedState *state) {
    uint64 highest = pg_atomic_read_u64(&state->accepted_clock_ms);
    for (;;) {
        ClockVerdict verdict =
            judge_clock(static_cast<int64>(highest), wall_minus_boot_ms(), settings.max_clock_jump_ms);
        if (!verdict.accepted) report_clock_jumped(verdict.jump_ms);
        auto accepted = static_cast<uint64>(verdict.highest_ms);
        if (accepted == highest) return;
        if (pg_atomic_compare_exchange_u64(&state->accepted_clock_ms, &highest, accepted)) return;
    }
}

void check_clock_sync() {
    static int64 last_warning_ms = PG_INT64_MIN;
    auto required = static_cast<RequireClockSync>(settings.require_clock_sync);
    if (required == RequireClockSync::off || is_clock_synchronised()) return;
    if (required == RequireClockSync::on) report_clock_not_synchronised(ERROR);
    int64 now_ms = monotonic_ms();
    if (last_warning_ms != PG_INT64_MIN && now_ms - last_warning_ms < warning_interval_ms) return;
    last_warning_ms = now_ms;
    report_clock_not_synchronised(WARNING);
}

}  // namespace

void renew_horizon(SharedState *state, SharedDatabase *database, const Limits &limits, int64 start_ms) {
    check_clock_jump(state);
    check_clock_sync();
    raise_ms(database->granted_ms, renewed_horizon(limits.now_ms, limits.floor_ms, start_ms, window_ms));
}

void accept_clock(SharedState *state) noexcept {
    pg_atomic_write_u64(&state->accepted_clock_ms, static_cast<uint64>(wall_minus_boot_ms()));
}

}  // namespace idgen::pg
