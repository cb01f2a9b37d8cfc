#include "core/horizon.hpp"

#include <gtest/gtest.h>

#include <set>

namespace idgen {
namespace {

constexpr HorizonRules rules{1000, 300, 500};
constexpr std::int64_t ours = 77, theirs = 78;

HorizonRecord record_of(std::int64_t horizon_ms, std::int64_t identity) {
    return {horizon_ms, identity};
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
        EXPECT_FALSE(admit_page(horizon, record_of(c.page_ms, c.identity), ours, c.now_ms, rules)) << c.what;
        EXPECT_EQ(horizon.floor_ms, c.floor_ms) << c.what;
        EXPECT_EQ(horizon.granted_ms, 0) << c.what;
        EXPECT_TRUE(admit_page(horizon, record_of(c.page_ms, c.identity), ours, c.now_ms, rules)) << c.what;
    }
}

TEST(Horizon, RenewalIsAWindowAboveTheHighest) {
    constexpr struct {
        const char *what;
        std::int64_t page_ms, floor_ms, now_ms, start_ms, horizon_ms;
    } cases[] = {
        {"the clock is highest", 100, 100, 5000, 4000, 6000},
        {"the floor is highest", 100, 9000, 5000, 4000, 10000},
        {"the tick is highest", 100, 100, 5000, 7000, 8000},
        {"the page is beyond", 20000, 100, 5000, 7000, 20000},
        {"all equal", 5000, 5000, 5000, 5000, 6000},
    };
    for (const auto &c : cases) {
        Horizon horizon{};
        horizon.known = {c.page_ms, ours};
        horizon.floor_ms = c.floor_ms;
        HorizonRecord record = renewal(horizon, theirs, c.now_ms, c.start_ms, rules);
        EXPECT_EQ(record.horizon_ms, c.horizon_ms) << c.what;
        EXPECT_EQ(record.identity, theirs) << c.what;
    }
}

TEST(Horizon, GrantsOnlyWhatIsPending) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, ours), ours, 5000, rules);
    grant_pending(horizon);
    EXPECT_EQ(horizon.granted_ms, 0);
    note_flushed(horizon, record_of(6000, ours));
    EXPECT_EQ(horizon.granted_ms, 0) << "flushed here, not yet granted";
    grant_pending(horizon);
    EXPECT_EQ(horizon.granted_ms, 6000);
    EXPECT_EQ(horizon.pending.horizon_ms, 0);
}

TEST(Horizon, APageThatSomebodyElseChangedDropsTheGrant) {
    for (HorizonRecord changed : {record_of(7000, ours), record_of(5000, ours), record_of(6000, 0),
                                  record_of(6000, theirs), record_of(60000, ours)}) {
        Horizon horizon{};
        admit_page(horizon, record_of(5000, ours), ours, 5000, rules);
        note_flushed(horizon, record_of(6000, ours));
        grant_pending(horizon);
        EXPECT_TRUE(admit_page(horizon, record_of(6000, ours), ours, 5100, rules));

        EXPECT_FALSE(admit_page(horizon, changed, ours, 5200, rules));
        EXPECT_EQ(horizon.granted_ms, 0);
        EXPECT_GE(horizon.floor_ms, 5200 + 300 + 1000 + 1) << "like a stranger's, even with our identity";
        EXPECT_GE(horizon.floor_ms, changed.horizon_ms);
        EXPECT_TRUE(admit_page(horizon, changed, ours, 5300, rules)) << "and then goes on";
    }
}

TEST(Horizon, AChangedPageForgetsNothingGranted) {
    Horizon horizon{};
    admit_page(horizon, record_of(5000, ours), ours, 5000, rules);
    note_flushed(horizon, record_of(60000, ours));
    grant_pending(horizon);
    EXPECT_FALSE(admit_page(horizon, record_of(5000, 0), ours, 4000, rules)) << "the clock stepped back";
    EXPECT_GE(horizon.floor_ms, 60000);
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
    admit_page(horizon, record_of(5000, ours), ours, 5000, rules);
    EXPECT_EQ(horizon.floor_ms, 90000);
    raise(horizon.floor_ms, 80000);
    EXPECT_EQ(horizon.floor_ms, 90000);
    raise(horizon.floor_ms, 90001);
    EXPECT_EQ(horizon.floor_ms, 90001);
}

TEST(Horizon, IsHalfUsed) {
    EXPECT_FALSE(is_half_used(6000, 5499, 1000));
    EXPECT_TRUE(is_half_used(6000, 5500, 1000));
    EXPECT_TRUE(is_half_used(0, 1, 1000));
}

TEST(Horizon, IdentityTellsHistoriesApart) {
    std::set<std::int64_t> seen;
    for (std::uint32_t timeline = 1; timeline < 100; timeline++)
        for (std::uint64_t system = 7000000000000000000; system < 7000000000000000100; system++)
            seen.insert(identity_of(timeline, system));
    EXPECT_EQ(seen.size(), 99u * 100u);
    EXPECT_EQ(seen.count(0), 0u);
}

}  // namespace
}  // namespace idgen
