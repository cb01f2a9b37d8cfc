#include "core/draw/moves.hpp"

#include <algorithm>

namespace idgen {
namespace {

// The record of a page that keeps its owner.
DurableRecord moved_record(const DurableRecord &page, const ServerView &server, std::int64_t value,
                           std::int64_t identity) noexcept {
    DurableRecord record = with_origin(page, server.foreign_origin);
    carry_owner(record, record, server.owner, server.boot);
    record.value = value;
    record.identity = identity;
    return record;
}

}  // namespace

PageVerdict AdvanceMove::plan(Horizon &horizon, const DurableRecord &page) const noexcept {
    if (!is_horizon(page.value)) return {false, {Renewal::out_of_bounds, page.value}, {}};
    admit_page(horizon, page, server.identity, server.clock, server.rules, server.is_successor);
    lift(horizon.floor_ms, at_ms);
    std::int64_t value = std::max(page.value, horizon.floor_ms.load());
    return write(moved_record(page, server, value, identity_of_advance(horizon, next_identity(server, page))));
}

PageVerdict ResetMove::plan(Horizon &horizon, const DurableRecord &page) noexcept {
    bool has_horizon = is_horizon(page.value);
    if (has_horizon) admit_page(horizon, page, server.identity, server.clock, server.rules, server.is_successor);
    // What was owed since the start, also if it is paid.
    std::int64_t owed_ms = horizon.debt_boot_ms + server.clock.difference_ms;
    if (horizon.debt_boot_ms != 0) raise_limit(ResetBound::owed, owed_ms);
    known_ms = limit.until_ms;
    std::int64_t safe_ms = std::max(known_ms, server.clock.now_ms + 1);
    raise_limit(ResetBound::found, horizon.loaded_ms);
    if (!has_horizon) raise_limit(ResetBound::unknown, INT64_MAX);
    is_chosen = at_ms == 0;
    if (is_chosen) at_ms = safe_ms;
    // Until it is paid, only a person knows how far it may reach: it rests on the clock, which a reset takes for right.
    if (horizon.is_indebted) limit = {ResetBound::owed, owed_ms};
    if ((at_ms < limit.until_ms || horizon.is_indebted) && !is_forced)
        return {false, {Renewal::not_above, page.value}, {}};
    return write(moved_record(page, server, at_ms, next_identity(server, page)));
}

PageVerdict ConfirmMove::plan(Horizon &, const DurableRecord &page) noexcept {
    if (server.machine != machine) return {false, {Renewal::resumed, 0}, {}};
    is_needed = is_copy(with_origin(page, server.foreign_origin), server.owner) ||
                is_copied_machine(page, server.owner, server.boot) ||
                may_be_clone(page, server.identity, server.has_clone);
    DurableRecord record = page;
    record.owner = server.owner.system_identifier;
    record.machine = server.owner.machine;
    return write(record);
}

void ConfirmMove::note_confirmed(Horizon &horizon, const DurableRecord &page,
                                 const DurableRecord &record) const noexcept {
    bool is_expected = horizon.record.is_loaded && page == horizon.record.known;
    drop_pending(horizon);
    if (!is_expected) return;
    horizon.record.known = record;
    // The origin may have made IDs until now: what is owed to it is more than when the page was loaded.
    horizon.record.is_loaded = record.identity == server.identity;
}

}  // namespace idgen
