#include "core/horizon/trusted_clock.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr std::int64_t boot = 1700000000000, jump = 600000;
constexpr ClockRules rules{jump, 3001};

// Judges while the horizon says nothing: the clock is far above it.
ClockVerdict judged(std::int64_t accepted_ms, std::int64_t difference_ms, std::int64_t max_jump_ms = jump) {
    return judge_clock(accepted_ms, {difference_ms + 1000, difference_ms}, difference_ms - 10 * jump,
                       {max_jump_ms, 3001});
}

TEST(ClockWatch, JudgesTheDifferenceAgainstTheHighestAccepted) {
    constexpr struct {
        const char *what;
        std::int64_t accepted_ms, difference_ms, max_jump_ms;
        bool is_accepted;
        std::int64_t new_accepted_ms, jump_ms;
    } cases[] = {
        {"the first is accepted", nothing_accepted, boot, jump, true, boot, 0},
        {"the first, at 0", nothing_accepted, 0, 0, true, 0, 0},
        {"the first, negative", nothing_accepted, -5, 0, true, -5, 0},
        {"unchanged", boot, boot, jump, true, boot, 0},
        {"forward by 1", boot, boot + 1, jump, true, boot + 1, 1},
        {"back by 1 keeps the highest", boot, boot - 1, jump, true, boot, -1},
        {"back by a million keeps the highest", boot, boot - 1000000, jump, true, boot, -1000000},
        {"one below the limit", boot, boot + jump - 1, jump, true, boot + jump - 1, jump - 1},
        {"the limit itself", boot, boot + jump, jump, true, boot + jump, jump},
        {"one past the limit", boot, boot + jump + 1, jump, false, boot, jump + 1},
        {"a year ahead", boot, boot + 31536000000, jump, false, boot, 31536000000},
        {"no jump allowed: unchanged", boot, boot, 0, true, boot, 0},
        {"no jump allowed: forward by 1", boot, boot + 1, 0, false, boot, 1},
        {"no jump allowed: back by 1", boot, boot - 1, 0, true, boot, -1},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        ClockVerdict verdict = judged(c.accepted_ms, c.difference_ms, c.max_jump_ms);
        EXPECT_EQ(verdict.is_accepted, c.is_accepted);
        EXPECT_EQ(verdict.is_for_server, c.is_accepted);
        EXPECT_EQ(verdict.accepted_ms, c.new_accepted_ms);
        EXPECT_EQ(verdict.jump_ms, c.jump_ms);
    }
}

TEST(ClockWatch, TheHorizonIsEvidenceToo) {
    constexpr std::int64_t now = boot + 5000, hour = 3600000, far = rules.farthest_horizon_ms;
    constexpr struct {
        const char *what;
        std::int64_t accepted_ms, horizon_ms;
        bool is_accepted, is_for_server;
        std::int64_t new_accepted_ms;
    } cases[] = {
        {"nothing accepted, at the horizon", nothing_accepted, now, true, true, boot},
        {"nothing accepted, as far behind as a lead goes", nothing_accepted, now + far, true, true, boot},
        {"nothing accepted, further behind: no measure", nothing_accepted, now + far + 1, true, false,
         nothing_accepted},
        {"a jump of an hour, near the horizon", boot - hour, now, true, false, boot},
        {"a jump of an hour, the last that is near", boot - hour, now - jump, true, false, boot},
        {"a jump of an hour, further above", boot - hour, now - jump - 1, false, false, boot - hour},
        {"a jump of an hour, the horizon further still", boot - hour, now + hour, true, false, boot - hour},
        {"a small step far behind the horizon: no measure", boot - 1, now + far + 1, true, true, boot - 1},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        ClockVerdict verdict = judge_clock(c.accepted_ms, {now, boot}, c.horizon_ms, rules);
        EXPECT_EQ(verdict.is_accepted, c.is_accepted);
        EXPECT_EQ(verdict.is_for_server, c.is_for_server);
        EXPECT_EQ(verdict.accepted_ms, c.new_accepted_ms);
    }
}

TEST(ClockWatch, RefusesUntilTheClockComesBack) {
    std::int64_t accepted = judged(nothing_accepted, 1000, 10).accepted_ms;
    for (int i = 0; i < 3; i++) {
        ClockVerdict verdict = judged(accepted, 1000000, 10);
        EXPECT_FALSE(verdict.is_accepted);
        accepted = verdict.accepted_ms;
    }
    EXPECT_TRUE(judged(accepted, 1005, 10).is_accepted);
}

TEST(ClockWatch, SlowCorrectionsAddUp) {
    std::int64_t accepted = judged(nothing_accepted, 0, 10).accepted_ms;
    for (std::int64_t difference = 10; difference <= 1000; difference += 10) {
        ClockVerdict verdict = judged(accepted, difference, 10);
        ASSERT_TRUE(verdict.is_accepted) << difference;
        ASSERT_EQ(verdict.accepted_ms, difference);
        accepted = verdict.accepted_ms;
    }
}

TEST(ClockWatch, ARecordHoldsOnItsBootAlone) {
    constexpr BootId this_boot{1, 2}, other_boot{1, 3}, no_boot{0, 0};
    DurableRecord record = bare_record(1, 2);
    EXPECT_EQ(accepted_by(record, this_boot), nothing_accepted);
    EXPECT_EQ(accepted_by(record, no_boot), nothing_accepted) << "two that are not known are not the same";
    carry_clock(record, boot, this_boot);
    EXPECT_EQ(accepted_by(record, this_boot), boot);
    EXPECT_EQ(accepted_by(record, other_boot), nothing_accepted);
    carry_clock(record, nothing_accepted, this_boot);
    EXPECT_EQ(accepted_by(record, this_boot), nothing_accepted);
}

TEST(ClockWatch, TellsStepsFromNoise) {
    constexpr std::int64_t before = boot;
    for (std::int64_t noise : {0, 1, -1, 9, -9}) EXPECT_EQ(step_between(before, before + noise), 0);
    for (std::int64_t step : {10, -10, 500, -3600000}) EXPECT_EQ(step_between(before, before + step), step);
}

TEST(FollowedClock, OneThatWouldBeRefusedCountsNoFurtherThanTheHorizon) {
    constexpr ClockRules rules{600000, 2000};
    constexpr std::int64_t accepted = 5000, day = 86400000;
    constexpr struct {
        std::int64_t now_ms, difference_ms, horizon_ms, expected;
    } cases[] = {{100000, 5000, 90000, 100000},
                 {90000 + day, 5000, 90000, 90000 + day},  // idle for a day
                 {90000 + day, 5000 + day, 90000, 90000},  // set forward by a day
                 {90000, 5000 + day, 90000 + day, 90000},
                 {80000, 5000, 90000, 80000}};
    for (const auto &c : cases)
        EXPECT_EQ(followed_ms(accepted, {c.now_ms, c.difference_ms}, c.horizon_ms, rules), c.expected) << c.now_ms;
    EXPECT_EQ(followed_ms(nothing_accepted, {100000, 5000}, 90000, rules), 100000);
}

TEST(ClockState, CountsAgainWhenTheTimeServiceHasSpoken) {
    EXPECT_FALSE(has_spoken_since(2000, {true, 2000, 0}));
    EXPECT_FALSE(has_spoken_since(2000, {true, 2500, 0})) << "the bound grows until then";
    EXPECT_TRUE(has_spoken_since(2000, {true, 1999, 0}));
    EXPECT_FALSE(has_spoken_since(2000, {false, 100, 0})) << "not synchronized";
}

constexpr BootId this_boot{3, 4}, other_boot{3, 5};
constexpr DurableRecord recorded{0, 0, 0, 0, 500, this_boot, 0};

class AcceptedClockTest : public testing::Test {
   protected:
    AcceptedClockTest() { forget(clock); }
    AcceptedClock clock;
};

TEST_F(AcceptedClockTest, TheRecordOfThisBootComesBeforeTheServers) {
    EXPECT_EQ(accepted_for(clock, 0, bare_record(0, 0), this_boot), nothing_accepted);
    accept_up_to(clock, 700);
    EXPECT_EQ(accepted_for(clock, 0, bare_record(0, 0), this_boot), 700);
    EXPECT_EQ(accepted_for(clock, 0, recorded, this_boot), 500);
    EXPECT_EQ(accepted_for(clock, 0, recorded, other_boot), 700) << "another boot";
    EXPECT_EQ(accepted_for(clock, 0, recorded, {0, 0}), 700) << "the boot is not known";
}

TEST_F(AcceptedClockTest, WhatIsAcceptedOnlyRises) {
    accept_up_to(clock, 700);
    accept_up_to(clock, 600);
    EXPECT_EQ(clock.accepted_ms, 700);
    accept_up_to(clock, nothing_accepted);
    EXPECT_EQ(clock.accepted_ms, 700);
}

TEST_F(AcceptedClockTest, AConfirmationOverrulesBothUntilARecordReckonsWithIt) {
    accept_up_to(clock, 700);
    confirm(clock, 300);
    EXPECT_EQ(clock.accepted_ms, 300) << "also downward";
    EXPECT_EQ(accepted_for(clock, 0, recorded, this_boot), 300);
    EXPECT_EQ(accepted_for(clock, 1, recorded, this_boot), 500);
    forget(clock);
    EXPECT_EQ(accepted_for(clock, 1, recorded, this_boot), nothing_accepted) << "counts begin again at a start";
}

TEST(ClockBounds, TheLargerErrorOnBothSides) {
    constexpr struct {
        std::int64_t before_us, after_us, max_error_us, est_error_us, earliest_us, latest_us;
    } cases[] = {
        {1000000, 1000000, 0, 0, 1000000, 1000000},
        {1000000, 1000000, 500, 20, 999500, 1000500},
        {1000000, 1000003, 500, 20, 999500, 1000503},
        {1000000, 1000000, 20, 500, 999500, 1000500},
        {1000000, 1000000, -7, -9, 1000000, 1000000},
        {1000000, 999000, 100, 0, 998900, 1000100},  // set back between the two readings
    };
    for (const auto &c : cases) {
        ClockBounds bounds = clock_bounds(c.before_us, c.after_us, {true, c.max_error_us, c.est_error_us});
        EXPECT_EQ(bounds.earliest_us, c.earliest_us) << c.max_error_us;
        EXPECT_EQ(bounds.latest_us, c.latest_us) << c.max_error_us;
    }
}

TEST(ClockBounds, WithinALimit) {
    constexpr struct {
        ClockState state;
        std::int64_t error_ms;
        bool is_within;  // 500 ms
    } cases[] = {
        {{true, 0, 0}, 0, true},          {{true, 1, 0}, 1, true},           {{true, 1000, 0}, 1, true},
        {{true, 500000, 100}, 500, true}, {{true, 500001, 100}, 501, false}, {{true, 100, 500001}, 501, false},
        {{false, 100, 100}, 1, false},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(error_ms_of(c.state), c.error_ms) << c.state.max_error_us;
        EXPECT_EQ(is_within(c.state, 500), c.is_within) << c.state.max_error_us;
    }
}

TEST(ClockBounds, PastOnlyBeforeTheEarliest) {
    constexpr ClockBounds bounds{1000, 3000};
    EXPECT_EQ(time_until_past(bounds, 999), 0);
    EXPECT_EQ(time_until_past(bounds, 1000), 1);
    EXPECT_EQ(time_until_past(bounds, 2000), 1001);
    EXPECT_EQ(time_until_past(bounds, 5000), 4001);
    EXPECT_EQ(time_until_past(bounds, INT64_MIN), 0);
    EXPECT_EQ(time_until_past(bounds, INT64_MAX), INT64_MAX - 999);
    EXPECT_EQ(time_until_past({-5000, 0}, INT64_MAX), INT64_MAX);
}

// Once it waited that long, with bounds that stay as wide, the instant is past.
TEST(ClockBounds, AWaitIsLongEnough) {
    for (std::int64_t at : {999, 1000, 1001, 5000}) {
        std::int64_t wait = time_until_past({1000, 3000}, at);
        EXPECT_EQ(time_until_past({1000 + wait, 3000 + wait}, at), 0) << at;
        if (wait > 0) {
            EXPECT_EQ(time_until_past({999 + wait, 2999 + wait}, at), 1) << at;
        }
    }
}

}  // namespace
}  // namespace idgen
