#include "core/durable/horizon.hpp"

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
    } cases[] = {
        {"ours: H", 5000, ours, 9000, 5000},
        {"ours, the clock stepped back: H", 5000, ours, 100, 5000},
        {"a stranger's: above lead and twice the clock error", 5000, theirs, 9000, 9000 + 300 + 1000 + 1},
        {"a stranger's, far ahead: H", 50000, theirs, 9000, 50000},
        {"nobody's, as setval leaves it", 5000, 0, 9000, 10301},
    };
    for (const auto &c : cases) {
        Horizon horizon{};
        EXPECT_FALSE(admit_page(horizon, record_of(c.page_ms, c.identity), ours, at(c.now_ms), rules)) << c.what;
        EXPECT_EQ(horizon.floor_ms, c.floor_ms) << c.what;
        EXPECT_EQ(horizon.granted_ms, 0) << c.what;
        EXPECT_TRUE(admit_page(horizon, record_of(c.page_ms, c.identity), ours, at(c.now_ms), rules)) << c.what;
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
    note_flushed(horizon, record_of(6000, ours), 1);
    EXPECT_EQ(horizon.granted_ms, 0) << "flushed here, not yet granted";
    grant_pending(horizon);
    EXPECT_EQ(horizon.granted_ms, 6000);
    EXPECT_EQ(horizon.record.pending, 0);
}

TEST(Horizon, APageThatSomebodyElseChangedDropsTheGrant) {
    for (DurableRecord changed : {record_of(7000, ours), record_of(5000, ours), record_of(6000, 0),
                                  record_of(6000, theirs), record_of(60000, ours)}) {
        Horizon horizon{};
        admit_page(horizon, record_of(5000, ours), ours, at(5000), rules);
        note_flushed(horizon, record_of(6000, ours), 1);
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
    note_flushed(horizon, record_of(60000, ours), 1);
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
    note_flushed(horizon, paid, 1);
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
    note_flushed(horizon, record_of(50000, ours), 1);
    EXPECT_EQ(identity_of_advance(horizon, ours), ours) << "paid";
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
    note_flushed(horizon, record_of(6000, ours), 1);
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

}  // namespace
}  // namespace idgen
