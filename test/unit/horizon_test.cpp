#include "core/horizon/horizon.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr HorizonRules rules{1000, 300, 500};
constexpr std::int64_t ours = 77, theirs = 78;

DurableRecord record_of(std::int64_t horizon_ms, std::int64_t identity) {
    return bare_record(horizon_ms, identity);
}

// A clock on a machine that booted at 0.
ClockReading at(std::int64_t now_ms) {
    return {now_ms, 0};
}

TEST(Horizon, FloorAfterAStart) {
    constexpr struct {
        const char *what;
        std::int64_t page_ms, identity, now_ms, floor_ms;
        bool is_successor = false;
    } cases[] = {
        {"ours: H", 5000, ours, 9000, 5000},
        {"ours, the clock stepped back: H", 5000, ours, 100, 5000},
        {"a stranger's: above lead and twice the clock error", 5000, theirs, 9000, 9000 + 300 + 1000 + 1},
        {"a stranger's, far ahead: H", 50000, theirs, 9000, 50000},
        {"nobody's, as setval leaves it", 5000, 0, 9000, 10301},
        {"nobody's, on a successor: a window more", 5000, 0, 9000, 9000 + 300 + 1000 + 1 + 1000, true},
        {"ours, on a successor: H", 5000, ours, 9000, 5000, true},
        {"a stranger's, on a successor", 5000, theirs, 9000, 10301, true},
    };
    for (const auto &c : cases) {
        Horizon horizon{};
        DurableRecord page = record_of(c.page_ms, c.identity);
        EXPECT_FALSE(admit_page(horizon, page, ours, at(c.now_ms), rules, c.is_successor)) << c.what;
        EXPECT_EQ(horizon.floor_ms, c.floor_ms) << c.what;
        EXPECT_EQ(horizon.granted_ms, 0) << c.what;
        EXPECT_TRUE(admit_page(horizon, page, ours, at(c.now_ms), rules, c.is_successor)) << c.what;
    }
}

TEST(Horizon, RenewalIsAWindowAboveTheHighest) {
    constexpr struct {
        const char *what;
        std::int64_t page_ms, floor_ms, now_ms, start_ms, horizon_ms;
    } cases[] = {
        {"the clock is highest", 100, 100, 5000, 4000, 6000}, {"the floor is highest", 100, 9000, 5000, 9000, 10000},
        {"the tick is highest", 100, 100, 5000, 7000, 8000},  {"the page is beyond", 20000, 100, 5000, 7000, 20000},
        {"all equal", 5000, 5000, 5000, 5000, 6000},
    };
    for (const auto &c : cases) {
        Horizon horizon{};
        horizon.record.known = record_of(c.page_ms, ours);
        horizon.record.is_loaded = true;
        horizon.floor_ms = c.floor_ms;
        EXPECT_EQ(renewed_ms(horizon, c.now_ms, c.start_ms, rules), c.horizon_ms) << c.what;
    }
}

TEST(Horizon, GrantsOnlyWhatIsPending) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
    grant_pending(horizon);
    EXPECT_EQ(horizon.granted_ms, 0);
    note_written(horizon, record_of(6000, ours), 1);
    EXPECT_EQ(horizon.granted_ms, 0) << "written here, not yet granted";
    grant_pending(horizon);
    EXPECT_EQ(horizon.granted_ms, 6000);
    EXPECT_EQ(horizon.record.pending, 0);
}

TEST(Horizon, APageThatSomebodyElseChangedDropsTheGrant) {
    for (DurableRecord changed : {record_of(7000, ours), record_of(5000, ours), record_of(6000, 0),
                                  record_of(6000, theirs), record_of(60000, ours)}) {
        Horizon horizon{};
        admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
        note_written(horizon, record_of(6000, ours), 1);
        grant_pending(horizon);
        EXPECT_TRUE(admit_page(horizon, record_of(6000, ours), ours, at(5100), rules));

        EXPECT_FALSE(admit_page(horizon, changed, ours, at(5200), rules));
        EXPECT_EQ(horizon.granted_ms, 0);
        EXPECT_GE(horizon.floor_ms, 5200 + 300 + 1000 + 1) << "like a stranger's, even with our identity";
        EXPECT_GE(horizon.floor_ms, changed.value);
        EXPECT_TRUE(admit_page(horizon, changed, ours, at(5300), rules)) << "and then goes on";
    }
}

TEST(Horizon, AChangedPageForgetsNothingGranted) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
    note_written(horizon, record_of(60000, ours), 1);
    grant_pending(horizon);
    EXPECT_FALSE(admit_page(horizon, record_of(5000, 0), ours, at(4000), rules)) << "the clock stepped back";
    EXPECT_GE(horizon.floor_ms, 60000);
}

TEST(Horizon, ADebtIsRaisedWithAClockThatIsSetForwardUntilItIsPaid) {
    Horizon horizon{};
    DurableRecord page = record_of(5000, theirs);
    admit_page(horizon, page, ours, {9000, -8000}, rules);
    EXPECT_EQ(horizon.floor_ms, 9000 + 1301);
    EXPECT_TRUE(admit_page(horizon, page, ours, {9500, -8000}, rules));
    EXPECT_EQ(horizon.floor_ms, 9000 + 1301) << "time passes";
    EXPECT_TRUE(admit_page(horizon, page, ours, {17600, 0}, rules));
    EXPECT_EQ(horizon.floor_ms, 17000 + 1301) << "set forward by 8 s";
    EXPECT_TRUE(admit_page(horizon, page, ours, {9700, -8000}, rules));
    EXPECT_EQ(horizon.floor_ms, 17000 + 1301) << "and back";
    DurableRecord paid = record_of(20000, ours);
    note_written(horizon, paid, 1);
    note_flushed(horizon);
    EXPECT_TRUE(admit_page(horizon, paid, ours, {99000, 60000}, rules));
    EXPECT_EQ(horizon.floor_ms, 17000 + 1301) << "paid";
}

TEST(Horizon, ADebtComputedAgainIsNotLowered) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, theirs), ours, {9000, 0}, rules);
    admit_page(horizon, record_of(6000, 0), ours, {3000, -6500}, rules);
    EXPECT_TRUE(admit_page(horizon, record_of(6000, 0), ours, {11000, 1000}, rules));
    EXPECT_EQ(horizon.floor_ms, 9500 + 1301 + 1000) << "by the later of the two loads, 9.5 s after the boot";
}

TEST(Horizon, AnAdvanceGrantsNothingAndPaysNoDebt) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, theirs), ours, {9000, -8000}, rules);
    DurableRecord record = record_of(30000, identity_of_advance(horizon, ours));
    EXPECT_EQ(record.identity, 0);
    note_advanced(horizon, record);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.record.pending, 0);
    EXPECT_TRUE(admit_page(horizon, record, ours, {30000, 20000}, rules));
    EXPECT_EQ(horizon.floor_ms, 9000 + 1301 + 28000) << "the clock was set right";
    note_written(horizon, record_of(50000, ours), 1);
    EXPECT_EQ(identity_of_advance(horizon, ours), 0) << "written is not flushed";
    note_flushed(horizon);
    EXPECT_EQ(identity_of_advance(horizon, ours), ours) << "paid";
}

TEST(Horizon, WhateverElseIsWrittenOrFoundDropsWhatIsOnItsWay) {
    struct Case {
        const char *what;
        void (*act)(Horizon &);
    };
    for (const Case &c : {Case{"an advance", [](Horizon &h) { note_advanced(h, record_of(7000, ours)); }},
                          Case{"a reset", [](Horizon &h) { note_reset(h, record_of(5500, ours)); }},
                          Case{"a creation", [](Horizon &h) { note_created(h, 6500); }},
                          Case{"a page that another wrote",
                               [](Horizon &h) { admit_page(h, record_of(5500, 0), ours, at(5000), rules); }},
                          Case{"a start", [](Horizon &h) { forget(h); }}}) {
        Horizon horizon{};
        admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
        note_written(horizon, record_of(6000, ours), 9);
        EXPECT_EQ(horizon.pending_lsn, 9u);
        c.act(horizon);
        EXPECT_EQ(horizon.record.pending, 0) << c.what;
        EXPECT_EQ(horizon.pending_lsn, 0u) << c.what;
        EXPECT_EQ(horizon.granted_ms, 0) << c.what;
    }
}

TEST(Horizon, AResetLowersTheFloorAndOwesNothing) {
    Horizon horizon{};
    admit_page(horizon, record_of(50000, theirs), ours, at(9000), rules);
    DurableRecord record = record_of(8000, ours);
    note_reset(horizon, record);
    EXPECT_EQ(horizon.floor_ms, 8000);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_TRUE(admit_page(horizon, record, ours, {10000, 5000}, rules));
    EXPECT_EQ(horizon.floor_ms, 8000);
}

TEST(Horizon, OneCreatedAnewIsLoadedAsAfterAStart) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
    note_written(horizon, record_of(6000, ours), 1);
    grant_pending(horizon);
    note_created(horizon, 6500);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.floor_ms, 6500);
    EXPECT_FALSE(admit_page(horizon, record_of(6500, ours), ours, at(4000), rules)) << "loaded as after a start";
    EXPECT_EQ(horizon.floor_ms, 6500);
}

TEST(Horizon, ADebtOutlivesThePageThatItCameFrom) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, theirs), ours, {2000, 0}, rules);
    note_created(horizon, 6000);
    EXPECT_EQ(identity_of_advance(horizon, ours), 0) << "a crash owes it as well";
    admit_page(horizon, record_of(6000, 0), ours, {50000, 48000}, rules);
    EXPECT_EQ(horizon.floor_ms, 50000 + rules.debt_ms()) << "by the clock as it was set right";
}

TEST(Horizon, NoRenewalForATickBelowTheFloor) {
    Horizon horizon{};
    horizon.floor_ms = 9000;
    EXPECT_FALSE(may_renew(horizon, 8999));
    EXPECT_TRUE(may_renew(horizon, 9000));
}

TEST(Horizon, ACopiedMachineIsGrantedNothingAndOwesAWait) {
    Horizon horizon{};
    DurableRecord page = record_of(5000, ours);
    admit_page(horizon, page, ours, at(4000), rules);
    note_written(horizon, record_of(6000, ours), 1);
    grant_pending(horizon);
    note_written(horizon, record_of(7000, ours), 2);
    note_machine(horizon, 0);
    EXPECT_EQ(horizon.granted_ms, 6000) << "the same";
    note_machine(horizon, 1);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.pending_lsn, 0u);
    EXPECT_EQ(horizon.floor_ms, 7000) << "above what was granted, and what was on its way";
    EXPECT_EQ(horizon.machine, 1u);
    EXPECT_FALSE(admit_page(horizon, record_of(7000, ours), theirs, at(6500), rules)) << "loaded as another server's";
    EXPECT_EQ(horizon.floor_ms, 6500 + 300 + 1000 + 1);
    EXPECT_TRUE(horizon.is_indebted);
}

TEST(Horizon, FloorsOnlyRise) {
    Horizon horizon{};
    horizon.floor_ms = 90000;
    admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
    EXPECT_EQ(horizon.floor_ms, 90000);
    lift(horizon.floor_ms, 80000);
    EXPECT_EQ(horizon.floor_ms, 90000);
    lift(horizon.floor_ms, 90001);
    EXPECT_EQ(horizon.floor_ms, 90001);
}

TEST(Horizon, IsHalfUsed) {
    EXPECT_FALSE(is_half_used(6000, 5499, 1000));
    EXPECT_TRUE(is_half_used(6000, 5500, 1000));
    EXPECT_TRUE(is_half_used(0, 1, 1000));
}

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
