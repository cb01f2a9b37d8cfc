#include "core/layout/instant.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace idgen {
namespace {

constexpr std::int64_t y2k = year_2000_ms;
constexpr std::int64_t whole_ms = INT64_MAX / 1000;  // that 63 bits of us hold

TEST(Instant, TheMsAroundAnInstant) {
    constexpr struct {
        std::int64_t us, down, up;
    } cases[] = {
        {0, y2k, y2k},
        {1, y2k, y2k + 1},
        {999, y2k, y2k + 1},
        {1000, y2k + 1, y2k + 1},
        {1001, y2k + 1, y2k + 2},
        {-1, y2k - 1, y2k},
        {-999, y2k - 1, y2k},
        {-1000, y2k - 1, y2k - 1},
        {-1001, y2k - 2, y2k - 1},
        {-y2k * 1000, 0, 0},
        {-y2k * 1000 - 1, -1, 0},
        {-y2k * 1000 + 1, 0, 1},
        {calendar_end_us, calendar_end_ms, calendar_end_ms},
        {calendar_end_us - 1, calendar_end_ms - 1, calendar_end_ms},
        {INT64_MAX, y2k + whole_ms, y2k + whole_ms + 1},
        {INT64_MIN, y2k - whole_ms - 1, y2k - whole_ms},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(ms_down(c.us), c.down) << c.us;
        EXPECT_EQ(ms_up(c.us), c.up) << c.us;
    }
}

TEST(Instant, WhereAMsBegins) {
    constexpr std::int64_t before_all_ms = 2 * y2k - calendar_end_ms;
    constexpr struct {
        const char *what;
        std::int64_t ms, us;
    } cases[] = {
        {"2000", y2k, 0},
        {"just before it", y2k - 1, -1000},
        {"1970", 0, -946684800000000},
        {"before 1970", -1, -946684800001000},
        {"the last ms of the calendar", calendar_end_ms - 1, calendar_end_us - 1000},
        {"its end", calendar_end_ms, calendar_end_us},
        {"after it", calendar_end_ms + 1, calendar_end_us},
        {"what us cannot hold", calendar_end_ms + 1000000, calendar_end_us},
        {"never", INT64_MAX, calendar_end_us},
        {"the bound below, and its next", before_all_ms + 1, 1000 - calendar_end_us},
        {"the bound below", before_all_ms, -calendar_end_us},
        {"below it", before_all_ms - 1, -calendar_end_us},
        {"always", INT64_MIN, -calendar_end_us},
    };
    for (const auto &c : cases) EXPECT_EQ(us_of(c.ms), c.us) << c.what;
}

// What the ms that something starts in says of the instant itself.
TEST(Instant, AWholeMsComparesAsTheMsThatAnInstantLiesIn) {
    Random random(2000);
    for (int i = 0; i < 100000; i++) {
        std::int64_t ms = random.between(-100000, 100000) + (random.once_in(2) ? y2k : random.between(0, 2 * y2k));
        std::int64_t us = us_of(ms) + random.between(-2500, 2500);
        ASSERT_EQ(us < us_of(ms), ms_down(us) < ms) << us << ' ' << ms;
        ASSERT_EQ(us > us_of(ms), ms_up(us) > ms) << us << ' ' << ms;
        ASSERT_LE(us_of(ms_down(us)), us);
        ASSERT_GE(us_of(ms_up(us)), us);
        ASSERT_LT(us_of(ms_up(us)) - us_of(ms_down(us)), 2000);
    }
}

// What an older reading of the clock is judged by: the counter of a processor.
TEST(Instant, ACounterTellsWhatIsRecent) {
    EXPECT_EQ(counts_of_10_us(24000000), 240u);
    EXPECT_EQ(counts_of_10_us(1000000000), 10000u);
    EXPECT_EQ(counts_of_10_us(1000000), 10u);
    EXPECT_EQ(counts_of_10_us(999999), 0u) << "too coarse";
    EXPECT_EQ(counts_of_10_us(0), 0u) << "unknown";
    EXPECT_TRUE(is_recent(1000, 1000, 240));
    EXPECT_TRUE(is_recent(1000, 1239, 240));
    EXPECT_FALSE(is_recent(1000, 1240, 240));
    EXPECT_FALSE(is_recent(1000, 999, 240)) << "it went back";
    EXPECT_TRUE(is_recent(UINT64_MAX - 5, 3, 240)) << "it began anew";
    EXPECT_FALSE(is_recent(0, 0, 0)) << "there is no counter";
}

}  // namespace
}  // namespace idgen
