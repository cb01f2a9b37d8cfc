#include "core/horizon.hpp"

#include <algorithm>

namespace idgen {

std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept {
    std::uint64_t hash = system_identifier + timeline * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return hash == 0 ? 1 : static_cast<std::int64_t>(hash);
}

bool admit_page(Horizon &horizon, const HorizonRecord &page, std::int64_t identity, std::int64_t now_ms,
                const HorizonRules &rules) noexcept {
    bool is_expected = horizon.is_loaded && page == horizon.known;
    if (is_expected) return true;
    bool is_ours = !horizon.is_loaded && page.identity == identity;
    std::int64_t debt_ms = now_ms + rules.max_lead_ms + 2 * rules.clock_error_ms + 1;
    horizon.granted_ms = 0;
    horizon.pending = {0, 0};
    // What was granted here may have been issued, whatever the page says now.
    if (horizon.is_loaded) raise(horizon.floor_ms, horizon.known.horizon_ms);
    raise(horizon.floor_ms, is_ours ? page.horizon_ms : std::max(page.horizon_ms, debt_ms));
    horizon.known = page;
    horizon.is_loaded = true;
    return false;
}

HorizonRecord renewal(const Horizon &horizon, std::int64_t identity, std::int64_t now_ms,
                      std::int64_t start_ms, const HorizonRules &rules) noexcept {
    std::int64_t used_ms = std::max({now_ms, horizon.floor_ms.load(std::memory_order_relaxed), start_ms});
    return {std::max(horizon.known.horizon_ms, used_ms + rules.window_ms), identity};
}

void note_flushed(Horizon &horizon, const HorizonRecord &record) noexcept {
    horizon.known = record;
    horizon.pending = record;
}

void grant_pending(Horizon &horizon) noexcept {
    raise(horizon.granted_ms, horizon.pending.horizon_ms);
    horizon.pending = {0, 0};
}

}  // namespace idgen
