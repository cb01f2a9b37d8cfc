#include "core/layout/calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "support.hpp"

namespace idgen {
namespace {

constexpr std::int64_t us_per_hour = 3600000000;
constexpr std::int64_t us_per_day = 24 * us_per_hour;

std::string name_of(const Step &step, std::int64_t start) {
    char text[period_text_size];
    return std::string(text, print_period(step, start, text));
}

// The minute of a civil time.
std::int64_t minute_of(std::string_view text) {
    std::int64_t ms = 0;
    EXPECT_TRUE(parse_instant(text, ms)) << text;
    return (ms - (ms % 60000 + 60000) % 60000) / 60000;
}

Step step_of(std::int64_t months, std::int64_t days, std::int64_t us) {
    Step step{};
    EXPECT_EQ(step_from(months, days, us, step), StepReason::none) << months << ' ' << days << ' ' << us;
    return step;
}

TEST(Calendar, TakesStepsOfOneUnit) {
    using R = StepReason;
    const struct {
        std::int64_t months, days, us;
        StepReason reason;
    } cases[] = {
        {1, 0, 0, R::none},
        {12000, 0, 0, R::none},
        {12001, 0, 0, R::too_long},
        {INT32_MAX, 0, 0, R::too_long},
        {0, 1, 0, R::none},
        {0, 365000, 0, R::none},
        {0, 365001, 0, R::too_long},
        {0, 0, us_per_day, R::none},
        {0, 0, 3 * us_per_day, R::none},
        {0, 0, us_per_day * 365001, R::too_long},
        {0, 0, us_per_hour, R::none},
        {0, 0, us_per_hour / 60, R::none},
        {0, 0, us_per_hour * 12, R::none},
        {0, 0, us_per_hour * 7, R::uneven},
        {0, 0, us_per_hour * 36, R::uneven},
        {0, 0, us_per_hour / 120, R::uneven},
        {0, 0, us_per_hour + 1, R::uneven},
        {0, 0, 1, R::uneven},
        {0, 0, INT64_MAX, R::uneven},
        {0, 0, 0, R::not_positive},
        {-1, 0, 0, R::not_positive},
        {0, -1, 0, R::not_positive},
        {0, 0, -1, R::not_positive},
        {1, -1, 0, R::not_positive},
        {INT32_MIN, INT32_MIN, INT64_MIN, R::not_positive},
        {1, 1, 0, R::of_two_units},
        {0, 1, us_per_hour, R::of_two_units},
        {1, 0, us_per_hour, R::of_two_units},
        {INT32_MAX, INT32_MAX, INT64_MAX, R::of_two_units},
    };
    for (const auto &c : cases) {
        Step step{};
        EXPECT_EQ(step_from(c.months, c.days, c.us, step), c.reason) << c.months << ' ' << c.days << ' ' << c.us;
    }
}

TEST(Calendar, NamesThePeriodOfAnInstant) {
    const struct {
        Step step;
        const char *at, *name;
    } cases[] = {
        {step_of(1, 0, 0), "2026-11-21T13:35:00Z", "2026_11"},
        {step_of(3, 0, 0), "2026-11-21T13:35:00Z", "2026_10"},
        {step_of(12, 0, 0), "2026-11-21T13:35:00Z", "2026"},
        {step_of(120, 0, 0), "2026-11-21T13:35:00Z", "2020"},
        {step_of(5, 0, 0), "2026-11-21T13:35:00Z", "2026_09"},
        {step_of(0, 1, 0), "2026-11-21T13:35:00Z", "2026_11_21"},
        {step_of(0, 7, 0), "2026-11-21T13:35:00Z", "2026_11_16"},
        {step_of(0, 7, 0), "2026-11-16T00:00:00Z", "2026_11_16"},
        {step_of(0, 7, 0), "2026-11-15T23:59:00Z", "2026_11_09"},
        {step_of(0, 7, 0), "1969-12-31T00:00:00Z", "1969_12_29"},
        {step_of(0, 7, 0), "0001-01-01T00:00:00Z", "0001_01_01"},
        {step_of(0, 0, us_per_hour), "2026-11-21T13:35:00Z", "2026_11_21_13"},
        {step_of(0, 0, us_per_hour * 6), "2026-11-21T13:35:00Z", "2026_11_21_12"},
        {step_of(0, 0, us_per_hour / 4), "2026-11-21T13:35:00Z", "2026_11_21_13_30"},
        {step_of(0, 0, us_per_hour * 3 / 2), "2026-11-21T13:35:00Z", "2026_11_21_13_30"},
        {step_of(0, 0, us_per_hour), "1969-12-31T23:59:00Z", "1969_12_31_23"},
        {step_of(0, 0, us_per_day), "1969-12-31T23:59:00Z", "1969_12_31"},
    };
    for (const auto &c : cases)
        EXPECT_EQ(name_of(c.step, start_of_period(c.step, period_at(c.step, minute_of(c.at)))), c.name);
}

TEST(Calendar, PeriodsTouchAndHoldTheirTimes) {
    Random random(12);
    const Step steps[] = {
        step_of(1, 0, 0), step_of(5, 0, 0),  step_of(12, 0, 0),          step_of(0, 1, 0),
        step_of(0, 7, 0), step_of(0, 10, 0), step_of(0, 0, us_per_hour), step_of(0, 0, us_per_hour / 60)};
    std::int64_t first = minute_of("0001-01-01"), last = minute_of("9999-12-31") * 20;
    for (const Step &step : steps) {
        for (int round = 0; round < 2000; round++) {
            std::int64_t minute = random.between(first, last);
            std::int64_t number = period_at(step, minute);
            std::int64_t start = start_of_period(step, number);
            EXPECT_LE(start, minute);
            EXPECT_GT(start_of_period(step, number + 1), minute);
            EXPECT_EQ(period_at(step, start), number);
            EXPECT_EQ(period_at(step, start - 1), number - 1);
            EXPECT_NE(name_of(step, start), name_of(step, start_of_period(step, number + 1)));
        }
    }
}

TEST(Calendar, DaysOfTheYearZeroAndOfLateYears) {
    EXPECT_EQ(days_of({1970, 1, 1}), 0);
    EXPECT_EQ(days_of({0, 1, 1}), -719528);
    EXPECT_EQ(days_of({0, 12, 31}), -719163);
    EXPECT_EQ(days_of({1, 1, 1}), -719162);
    EXPECT_EQ(days_of({294277, 1, 1}), calendar_end_ms / 86400000);
    for (std::int64_t day : {-719528L, -719469L, -719163L, -719162L, 0L, 106761999L}) {
        CivilDate date = civil_date(day);
        EXPECT_EQ(days_of(date), day);
    }
    CivilDate leap = civil_date(-719469);
    EXPECT_EQ(leap.month, 2);
    EXPECT_EQ(leap.day, 29);
}

std::string printed(std::int64_t unix_ms) {
    char text[instant_text_size];
    return std::string(text, print_instant(unix_ms, text));
}

// Parses a copy that ends where the text ends, so that a sanitizer sees a read past it.
bool parses(std::string_view text, std::int64_t &unix_ms) {
    std::unique_ptr<char[]> copy(new char[text.size()]);
    text.copy(copy.get(), text.size());
    return parse_instant({copy.get(), text.size()}, unix_ms);
}

// What libc's calendar makes of an instant.
std::string printed_by_libc(std::int64_t unix_ms) {
    std::int64_t ms = (unix_ms % 1000 + 1000) % 1000;
    std::time_t seconds = (unix_ms - ms) / 1000;
    std::tm parts;
    gmtime_r(&seconds, &parts);
    char text[80];
    int size = std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900,
                             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    if (ms != 0) std::snprintf(text + size, 8, ".%03d", static_cast<int>(ms));
    return std::string(text) + "Z";
}

TEST(CivilTime, ReadsAndPrintsInstants) {
    constexpr struct {
        const char *text;
        std::int64_t unix_ms;
        const char *canonical;  // null: the text itself
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0, nullptr},
        {"1970-01-01", 0, "1970-01-01T00:00:00Z"},
        {"2011-08-24", 1314144000000, "2011-08-24T00:00:00Z"},
        {"2011-08-24T21:07:01.721Z", 1314220021721, nullptr},
        {"2010-11-04T01:42:54.657Z", 1288834974657, nullptr},
        {"2015-01-01T00:00:00Z", 1420070400000, nullptr},
        {"2014-09-01T00:00:00Z", 1409529600000, nullptr},
        {"1969-12-31T23:59:59.999Z", -1, nullptr},
        {"1969-12-31T00:00:00Z", -86400000, nullptr},
        {"0001-01-01T00:00:00Z", min_instant_ms, nullptr},
        {"9999-12-31T23:59:59.999Z", max_instant_ms, nullptr},
        {"0004-02-29T00:00:00Z", -62035891200000, nullptr},
        {"0400-02-29T00:00:00Z", -49539340800000, nullptr},
        {"1600-02-29T00:00:00Z", -11670998400000, nullptr},
        {"1900-02-28T00:00:00Z", -2203977600000, nullptr},
        {"1900-03-01T00:00:00Z", -2203891200000, nullptr},
        {"2000-02-29T00:00:00Z", 951782400000, nullptr},
        {"2000-03-01T00:00:00Z", 951868800000, nullptr},
        {"2023-02-28T00:00:00Z", 1677542400000, nullptr},
        {"2024-02-29T00:00:00Z", 1709164800000, nullptr},
        {"2100-02-28T00:00:00Z", 4107456000000, nullptr},
        {"2400-02-29T00:00:00Z", 13574563200000, nullptr},
        {"1970-01-01T23:59:59Z", 86399000, nullptr},
        {"1970-01-01T00:00:00.0Z", 0, "1970-01-01T00:00:00Z"},
        {"1970-01-01T00:00:00.000Z", 0, "1970-01-01T00:00:00Z"},
        {"1970-01-01T00:00:00.5Z", 500, "1970-01-01T00:00:00.500Z"},
        {"1970-01-01T00:00:00.05Z", 50, "1970-01-01T00:00:00.050Z"},
        {"1970-01-01T00:00:00.25Z", 250, "1970-01-01T00:00:00.250Z"},
        {"1970-01-01T00:00:00.001Z", 1, nullptr},
        {"1970-01-01T00:00:00.010Z", 10, nullptr},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.text);
        std::int64_t unix_ms = 7;
        EXPECT_TRUE(parses(c.text, unix_ms));
        EXPECT_EQ(unix_ms, c.unix_ms);
        EXPECT_EQ(printed(c.unix_ms), c.canonical == nullptr ? c.text : c.canonical);
    }
}

TEST(CivilTime, RefusesOtherShapes) {
    constexpr const char *cases[] = {
        "",
        "Z",
        "1970",
        "1970-01",
        "1970-01-1",
        "1970-1-01",
        "970-01-01",
        "11970-01-01",
        "-970-01-01",
        "+970-01-01",
        "1970/01/01",
        "19700101",
        "1970-01-01Z",
        "1970-01-01 ",
        " 1970-01-01",
        "1970-01-01T",
        "1970-01-01TZ",
        "1970-01-01 00:00:00Z",
        "1970-01-01t00:00:00Z",
        "1970-01-01T00:00:00z",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.5",
        "1970-01-01T00:00Z",
        "1970-01-01T0:00:00Z",
        "1970-01-01T00:00:0Z",
        "1970-01-01T00-00-00Z",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00,5Z",
        "1970-01-01T00:00:00.1234Z",
        "1970-01-01T00:00:00.0000Z",
        "1970-01-01T00:00:00.12xZ",
        "1970-01-01T00:00:00.-1Z",
        "1970-01-01T00:00:00ZZ",
        "1970-01-01T00:00:00Z ",
        "1970-01-01T00:00:00+00:00",
        "x970-01-01",
        "1970-01-0x",
        "19 0-01-01",
        "infinity",
    };
    for (const char *text : cases) {
        std::int64_t unix_ms;
        EXPECT_FALSE(parses(text, unix_ms)) << text;
    }
}

TEST(CivilTime, RefusesDaysAndHoursThatDoNotExist) {
    constexpr const char *cases[] = {
        "0000-01-01",           "1970-00-01",           "1970-13-01",           "1970-99-01",
        "1970-01-00",           "1970-01-32",           "1970-02-30",           "1970-03-32",
        "1970-04-31",           "1970-05-32",           "1970-06-31",           "1970-07-32",
        "1970-08-32",           "1970-09-31",           "1970-10-32",           "1970-11-31",
        "1970-12-32",           "1900-02-29",           "2100-02-29",           "2023-02-29",
        "2024-02-30",           "2000-02-30",           "1970-01-01T24:00:00Z", "1970-01-01T99:00:00Z",
        "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "2016-12-31T23:59:60Z", "1970-01-01T00:00:99Z",
    };
    for (const char *text : cases) {
        std::int64_t unix_ms;
        EXPECT_FALSE(parses(text, unix_ms)) << text;
    }
}

TEST(CivilTime, TakesTheLastDayOfEachMonth) {
    constexpr const char *cases[] = {
        "1970-01-31", "1970-02-28", "1970-03-31", "1970-04-30", "1970-05-31", "1970-06-30",
        "1970-07-31", "1970-08-31", "1970-09-30", "1970-10-31", "1970-11-30", "1970-12-31",
    };
    for (const char *text : cases) {
        std::int64_t unix_ms;
        ASSERT_TRUE(parses(text, unix_ms)) << text;
        EXPECT_EQ(printed(unix_ms), std::string(text) + "T00:00:00Z");
        EXPECT_EQ(printed(unix_ms + 86400000).substr(8, 2), "01") << text;
    }
}

TEST(CivilTime, AgreesWithLibcOnRandomInstants) {
    Random random(1);
    for (int i = 0; i < 20000; i++) {
        std::int64_t unix_ms = random.between(min_instant_ms, max_instant_ms);
        if (random.once_in(3)) unix_ms -= unix_ms % 1000;
        std::string text = printed(unix_ms);
        ASSERT_EQ(text, printed_by_libc(unix_ms));
        std::int64_t read = 0;
        ASSERT_TRUE(parses(text, read)) << text;
        ASSERT_EQ(read, unix_ms) << text;
    }
}

TEST(CivilTime, AgreesWithLibcAroundTheFirstOfEachYear) {
    for (int year = 1; year <= 9999; year++) {
        std::string number = std::to_string(year);
        std::string text = std::string(4 - number.size(), '0') + number + "-01-01";
        std::int64_t unix_ms;
        ASSERT_TRUE(parses(text, unix_ms)) << text;
        ASSERT_EQ(printed(unix_ms), printed_by_libc(unix_ms));
        std::int64_t before = std::max(unix_ms - 1, min_instant_ms);
        ASSERT_EQ(printed(before), printed_by_libc(before));
    }
}

}  // namespace
}  // namespace idgen
