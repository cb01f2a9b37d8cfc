#include "core/layout/calendar.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace idgen
