#include "core/horizon.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

TEST(Horizon, IsAWindowAboveTheHighest) {
    constexpr struct {
        const char *what;
        std::int64_t now_ms, floor_ms, start_ms, window_ms, horizon_ms;
    } cases[] = {
        {"the clock is highest", 5000, 100, 4000, 1000, 6000},
        {"the floor is highest", 5000, 9000, 4000, 1000, 10000},
        {"the tick is highest", 5000, 100, 7000, 1000, 8000},
        {"all equal", 5000, 5000, 5000, 1000, 6000},
        {"clock and tick equal", 5000, 0, 5000, 1, 5001},
        {"one apart", 5000, 5001, 5002, 1, 5003},
        {"before 1970", -5000, -9000, -6000, 1000, -4000},
        {"the smallest window", 5000, 0, 5000, 1, 5001},
    };
    for (const auto &c : cases)
        EXPECT_EQ(renewed_horizon(c.now_ms, c.floor_ms, c.start_ms, c.window_ms), c.horizon_ms) << c.what;
}

TEST(Horizon, AdmitsTheTickThatNeededIt) {
    for (std::int64_t now = 0; now < 20; now++)
        for (std::int64_t floor = 0; floor < 20; floor++)
            for (std::int64_t start = 0; start < 20; start++)
                for (std::int64_t window : {1, 2, 1000})
                    ASSERT_LT(start, renewed_horizon(now, floor, start, window));
}

}  // namespace
}  // namespace idgen
