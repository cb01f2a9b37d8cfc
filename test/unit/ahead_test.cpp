#include "core/durable/horizon.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr std::int64_t now = 1700000000000, max_lead = 1000, farthest = 3001;

// A tick of 1 ms, `lead_ms` ahead of the clock, above the last ID and nothing else.
AheadView ahead(std::int64_t lead_ms) {
    AheadView view{};
    view.start_ms = now + lead_ms;
    view.unit_ms = 1;
    view.now_ms = now;
    view.wait_ms = lead_ms > max_lead ? lead_ms - max_lead : lead_ms;
    view.max_lead_ms = max_lead;
    view.farthest_ms = farthest;
    return view;
}

AheadView at_floor(std::int64_t lead_ms) {
    AheadView view = ahead(lead_ms);
    view.floor_ms = view.start_ms;
    return view;
}

AheadView set_back(AheadView view, std::int64_t by_ms) {
    view.set_back_ms = by_ms;
    return view;
}

AheadView lost(AheadView view, std::int64_t ms) {
    view.lost_ms = ms;
    return view;
}

AheadView full(std::int64_t lead_ms) {
    AheadView view = ahead(lead_ms);
    view.is_full = true;
    return view;
}

AheadView indebted(AheadView view) {
    view.is_indebted = true;
    return view;
}

AheadView advanced(AheadView view, std::int64_t to_ms) {
    view.advanced_ms = to_ms;
    return view;
}

AheadView taken(AheadView view, std::int64_t at_ms) {
    view.claimed_ms = at_ms;
    return view;
}

TEST(Ahead, NamesTheCause) {
    constexpr std::int64_t hour = 3600000;
    const struct {
        const char *what;
        AheadView view;
        Ahead expected;
    } cases[] = {
        {"set back by an hour", set_back(ahead(hour), hour), Ahead::clock},
        {"set back by an hour after borrowing", set_back(ahead(hour + max_lead), hour), Ahead::clock},
        {"set back by less than the tick lies ahead", set_back(ahead(hour), hour / 2), Ahead::unknown},
        {"not set back", ahead(hour), Ahead::unknown},
        {"behind what was accepted, above the clock", set_back(ahead(hour), -hour), Ahead::unknown},
        {"the noise of two readings", set_back(ahead(max_lead + 2), smallest_step_ms - 1), Ahead::unknown},
        {"a debt", indebted(at_floor(2001)), Ahead::debt},
        {"a debt, the clock set back long ago", set_back(indebted(at_floor(2001)), hour), Ahead::debt},
        {"a debt beside a horizon far ahead", indebted(at_floor(hour)), Ahead::far_horizon},
        {"a debt, and advanced", advanced(indebted(at_floor(2001)), now + 2001), Ahead::advance},
        {"a debt, of a tick above the floor", set_back(indebted(ahead(hour)), hour), Ahead::clock},
        {"advanced", advanced(at_floor(hour), now + hour), Ahead::advance},
        {"advanced within the tick before", advanced(ahead(hour), now + hour - 1), Ahead::unknown},
        {"advanced, a tick of the slots that were moved", advanced(full(hour), now + hour), Ahead::advance},
        {"advanced by less than it is set back", set_back(advanced(ahead(hour), now), hour), Ahead::clock},
        {"a number that begins there", taken(full(40000), now + 40000), Ahead::number},
        {"a number that begins there, and soon", taken(full(500), now + 500), Ahead::number},
        {"a number that began before", taken(full(1), now - 5), Ahead::full},
        {"after a start", at_floor(2000), Ahead::horizon},
        {"after a start, the clock set back long ago", set_back(at_floor(2000), hour), Ahead::horizon},
        {"after a start, as far as a right clock leaves it", at_floor(farthest + 1), Ahead::horizon},
        {"after a start, further", at_floor(farthest + 2), Ahead::far_horizon},
        {"after a start, the clock set back", set_back(at_floor(hour), hour), Ahead::clock},
        {"after a start, by as much as is left", set_back(at_floor(farthest + 1 + hour), hour), Ahead::clock},
        {"the next tick", full(1), Ahead::full},
        {"the next tick, the clock set back long ago", set_back(full(1), hour), Ahead::full},
        {"borrowed to the limit", full(max_lead + 1), Ahead::full},
        {"the next tick of a clock that stands", lost(full(1), 3000), Ahead::clock},
        {"held, by a clock that stands", lost(ahead(max_lead + 1), 3000), Ahead::clock},
        {"a debt under a clock that stands", lost(indebted(at_floor(2001)), 3000), Ahead::clock},
        {"a debt, and a small step back during the wait", lost(indebted(at_floor(2001)), 20), Ahead::debt},
        {"the next tick, and noise", lost(full(1), smallest_step_ms - 1), Ahead::full},
    };
    for (const auto &c : cases) EXPECT_EQ(why_ahead(c.view), c.expected) << c.what;
}

// A floor is rounded up to a tick, so the tick lies at or above it by less than its length.
TEST(Ahead, AFloorWithinALongTick) {
    AheadView view = ahead(1500);
    view.unit_ms = 1000;
    view.is_indebted = true;
    view.floor_ms = view.start_ms - 999;
    EXPECT_EQ(why_ahead(view), Ahead::debt);
    view.floor_ms = view.start_ms - 1000;
    EXPECT_EQ(why_ahead(view), Ahead::unknown);
}

}  // namespace
}  // namespace idgen
