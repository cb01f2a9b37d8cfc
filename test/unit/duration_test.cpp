#include "core/text/duration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace idgen {
namespace {

std::string text_of(std::int64_t ms) {
    char text[max_duration_size];
    return std::string(text, print_duration(ms, text));
}

TEST(Duration, TwoUnitsAtMost) {
    constexpr std::int64_t s = 1000, min = 60 * s, h = 60 * min, day = 24 * h;
    const struct {
        std::int64_t ms;
        const char *text;
    } cases[] = {
        {0, "0.000 s"},
        {7, "0.007 s"},
        {12345, "12.345 s"},
        {90 * s, "90.000 s"},
        {2 * min - 1, "119.999 s"},
        {2 * min, "2 min"},
        {2 * min + 1, "2 min 1 s"},
        {2 * min + 5 * s, "2 min 5 s"},
        {h - 1, "1 h"},
        {h, "1 h"},
        {h + 1, "1 h 1 min"},
        {2 * h + 5 * min, "2 h 5 min"},
        {day - 30 * s, "1 day"},
        {day, "1 day"},
        {day + 1, "1 day 1 h"},
        {2 * day - 1, "2 days"},
        {3 * day + 4 * h, "3 days 4 h"},
        {126230400 * s, "1461 days"},
        {INT64_MAX, "106751991167 days 8 h"},
    };
    for (const auto &c : cases) EXPECT_EQ(text_of(c.ms), c.text) << c.ms;
}

TEST(Duration, NeverLessThanItIs) {
    constexpr std::int64_t units_ms[] = {1000, 60000, 3600000, 86400000};
    for (std::int64_t ms = 1; ms < std::int64_t{1} << 50; ms += ms / 3 + 1) {
        std::string text = text_of(ms);
        std::int64_t told_ms = 0;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t used = 0;
            long double count = std::stold(text.substr(at), &used);
            at += used + 1;
            std::string unit = text.substr(at, text.find(' ', at) - at);
            at += unit.size() + 1;
            int i = unit == "s" ? 0 : unit == "min" ? 1 : unit == "h" ? 2 : 3;
            told_ms += static_cast<std::int64_t>(count * static_cast<long double>(units_ms[i]) + 0.5L);
        }
        EXPECT_GE(told_ms, ms) << text;
        EXPECT_LE(told_ms - ms, ms / 24) << text;
    }
}

}  // namespace
}  // namespace idgen
