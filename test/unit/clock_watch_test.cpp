#include "core/clock_watch.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

TEST(ClockWatch, JudgesTheDifferenceAgainstTheHighestAccepted) {
    constexpr std::int64_t boot = 1700000000000, jump = 600000;
    constexpr struct {
        const char *what;
        std::int64_t highest_ms, difference_ms, max_jump_ms;
        bool accepted;
        std::int64_t new_highest_ms, jump_ms;
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
        ClockVerdict verdict = judge_clock(c.highest_ms, c.difference_ms, c.max_jump_ms);
        EXPECT_EQ(verdict.accepted, c.accepted);
        EXPECT_EQ(verdict.highest_ms, c.new_highest_ms);
        EXPECT_EQ(verdict.jump_ms, c.jump_ms);
    }
}

TEST(ClockWatch, RefusesUntilTheClockComesBack) {
    std::int64_t highest = judge_clock(nothing_accepted, 1000, 10).highest_ms;
    for (int i = 0; i < 3; i++) {
        ClockVerdict verdict = judge_clock(highest, 1000000, 10);
        EXPECT_FALSE(verdict.accepted);
        highest = verdict.highest_ms;
    }
    EXPECT_TRUE(judge_clock(highest, 1005, 10).accepted);
}

TEST(ClockWatch, SlowCorrectionsAddUp) {
    std::int64_t highest = judge_clock(nothing_accepted, 0, 10).highest_ms;
    for (std::int64_t difference = 10; difference <= 1000; difference += 10) {
        ClockVerdict verdict = judge_clock(highest, difference, 10);
        ASSERT_TRUE(verdict.accepted) << difference;
        ASSERT_EQ(verdict.highest_ms, difference);
        highest = verdict.highest_ms;
    }
}

TEST(ClockWatch, TellsStepsFromNoise) {
    constexpr std::int64_t before = 1700000000000;
    for (std::int64_t noise : {0, 1, -1, 9, -9}) EXPECT_EQ(step_between(before, before + noise), 0);
    for (std::int64_t step : {10, -10, 500, -3600000}) EXPECT_EQ(step_between(before, before + step), step);
}

}  // namespace
}  // namespace idgen
