#include "kinds/core/rising.hpp"

#include <gtest/gtest.h>

#include "kinds/core/time_prefixed.hpp"

namespace idgen {
namespace {

constexpr std::int64_t year_ms = 31536000000;
constexpr std::int64_t now_ms = 1795300000000;

// A clock that says one thing, and counts how often it is asked.
struct Clock {
    std::int64_t says;
    int asked = 0;
    auto reader() noexcept {
        return [this]() noexcept {
            asked++;
            return says;
        };
    }
};

TEST(Rising, TheLeadIsAllowedAndASecondAtLeast) {
    EXPECT_EQ(allowed_back_ms(0), 1000);
    EXPECT_EQ(allowed_back_ms(999), 1000);
    EXPECT_EQ(allowed_back_ms(60000), 60000);
}

TEST(Rising, AClockThatIsLaterOrLittleBehindIsNotReadAgain) {
    Clock clock{now_ms};
    for (std::int64_t last : {std::int64_t{0}, now_ms - year_ms, now_ms, now_ms + 1, now_ms + 1000}) {
        Reading reading = settle_reading(last, now_ms, 1000, clock.reader());
        EXPECT_EQ(reading.now, now_ms);
        EXPECT_EQ(reading.behind, 0);
    }
    EXPECT_EQ(clock.asked, 0);
}

TEST(Rising, TheOrderBeginsAnewAtAClockFarBehind) {
    for (std::int64_t back : {std::int64_t{1001}, std::int64_t{86400000}, year_ms}) {
        Clock clock{now_ms + 3};
        Reading reading = settle_reading(now_ms + 3 + back, now_ms, 1000, clock.reader());
        EXPECT_EQ(reading.now, now_ms + 3);
        EXPECT_EQ(reading.behind, back);
        EXPECT_EQ(clock.asked, 1);
    }
}

// A session read the clock, was put off for an hour, and found values that others made meanwhile.
TEST(Rising, AReadingThatIsOldBeginsNothingAnew) {
    Clock clock{now_ms};
    Reading reading = settle_reading(now_ms, now_ms - 3600000, 1000, clock.reader());
    EXPECT_EQ(reading.now, now_ms);
    EXPECT_EQ(reading.behind, 0);
    EXPECT_EQ(clock.asked, 1);
}

TEST(Rising, NothingBeginsBefore1970) {
    Clock clock{-1};
    EXPECT_EQ(settle_reading(now_ms, -1, 1000, clock.reader()).behind, 0);
    EXPECT_EQ(settle_reading(0, -year_ms, 1000, clock.reader()).behind, 0);
}

// One value under a clock a year ahead: the next is of this year, with random bits of its own.
TEST(Rising, AUlidOfNextYearLeavesNoTrace) {
    const std::uint8_t random[Ulid::tail_size] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Clock clock{now_ms};
    Ulid last = composed<Ulid>(now_ms + year_ms, random);
    Reading reading = settle_reading(time_of(last), now_ms, 1000, clock.reader());
    if (reading.behind > 0) last = Ulid{};
    EXPECT_TRUE(step_up(last, reading.now, random));
    EXPECT_EQ(compare(last, composed<Ulid>(now_ms, random)), 0);
}

}  // namespace
}  // namespace idgen
