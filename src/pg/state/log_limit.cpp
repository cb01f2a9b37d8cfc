#include "pg/state/log_limit.hpp"

#include "pg/host/clock.hpp"

namespace idgen::pg {
namespace {

constexpr uint64 interval_ms = 60000;

}  // namespace

bool may_log(SharedState *state, Cause cause) noexcept {
    pg_atomic_uint64 &told_ms = state->told_ms[static_cast<size_t>(cause)];
    uint64 last_ms = pg_atomic_read_u64(&told_ms);
    auto now_ms = static_cast<uint64>(monotonic_ms());
    if (last_ms != 0 && now_ms - last_ms < interval_ms) return false;
    return pg_atomic_compare_exchange_u64(&told_ms, &last_ms, now_ms);
}

}  // namespace idgen::pg
