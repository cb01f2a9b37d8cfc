#include "core/issue/moves.hpp"

#include <algorithm>

namespace idgen {

DurableRecord moved_record(const DurableRecord &page, const ServerView &server, std::int64_t value,
                           std::int64_t identity) noexcept {
    DurableRecord record = with_origin(page, server.foreign_origin, server.owner);
    carry_owner(record, record, server.owner);
    record.value = value;
    record.identity = identity;
    return record;
}

PageVerdict plan_advance(Horizon &horizon, const DurableRecord &page, const ServerView &server,
                         std::int64_t at_ms) noexcept {
    if (!is_horizon(page.value)) return {false, {Renewal::out_of_bounds, page.value}, {}};
    admit_page(horizon, page, server.identity, server.clock, server.rules);
    lift(horizon.floor_ms, at_ms);
    std::int64_t value = std::max(page.value, horizon.floor_ms.load());
    std::int64_t identity = identity_of_advance(horizon, proven_identity(page, server.identity, server.has_clone));
    return {true, granted_outcome, moved_record(page, server, value, identity)};
}

void finish_confirmation(Horizon &horizon, const DurableRecord &page, const DurableRecord &record,
                         std::int64_t identity) noexcept {
    bool is_expected = horizon.record.is_loaded && page == horizon.record.known;
    if (!is_expected) return;
    horizon.record.known = record;
    // The origin may have made IDs until now: what is owed to it is more than when the page was loaded.
    horizon.record.is_loaded = record.identity == identity;
}

}  // namespace idgen
