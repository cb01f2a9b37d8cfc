#include "core/durable/trusted_clock.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

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
