// The small parts of core/text: control characters, prefixes, durations, versions.
#include <gtest/gtest.h>

#include <string>

#include "core/text/duration.hpp"
#include "core/text/id_prefix.hpp"
#include "core/text/text_part.hpp"
#include "core/text/version.hpp"

namespace idgen {
namespace {

TEST(Controls, AreFoundWhereverTheyStand) {
    for (std::string_view control :
         {"\n", "\r", "\t", "\x01", "\x1B", "\x1F", "\x7F", "\u0080", "\u009F", "\u2028", "\u2029"})
        for (std::string_view before : {"", "a", "ä", "€"}) {
            std::string name = std::string(before) + std::string(control);
            EXPECT_TRUE(has_control(name)) << name;
            EXPECT_TRUE(has_control(name + "z")) << name;
            EXPECT_EQ(control_size(control), control.size());
        }
    EXPECT_TRUE(has_control({"a\0b", 3}));
}

TEST(Controls, AreNotFoundInOtherTexts) {
    for (std::string_view name :
         {"", " ", "~", "orders of 7", "\u00A0", "ä", "\u2027", "\u202A", "€", "\xC2", "\xE2\x80", "\xE2"})
        EXPECT_FALSE(has_control(name)) << name;
}

TEST(IdPrefix, WhatIsOne) {
    for (const char *prefix : {"", "a", "ab", "a_b", "a__b", "z", "abcdefghijklmnopqrstuvwxyz"})
        EXPECT_EQ(check_id_prefix(prefix).reason, TextReason::none) << prefix;
    EXPECT_EQ(check_id_prefix(std::string(63, 'z')).reason, TextReason::none);
    EXPECT_EQ(check_id_prefix(std::string(64, 'z')).reason, TextReason::prefix_too_long);
    for (const char *prefix : {"_", "__", "_a", "a_", "A", "a1", "a-b", "`", "{"})
        EXPECT_EQ(check_id_prefix(prefix).reason, TextReason::prefix_bad_character) << prefix;
}

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

Version version_of(std::string_view text) {
    Version version{};
    EXPECT_TRUE(parse_version(text, version)) << text;
    return version;
}

TEST(Version, IsComparedByItsNumbersFromTheLeft) {
    const char *rising[] = {"0.0.0", "0.9.0", "0.9.1",  "0.9.10",        "0.10.0",
                            "1.0.0", "1.2.3", "10.0.0", "9999.9999.9999"};
    for (size_t i = 0; i < std::size(rising); i++)
        for (size_t j = 0; j < std::size(rising); j++)
            EXPECT_EQ(version_of(rising[i]) < version_of(rising[j]), i < j) << rising[i] << " " << rising[j];
}

TEST(Version, IsThreeNumbersAndNothingElse) {
    Version version{};
    for (const char *text : {"", "0", "0.9", "0.9.", ".9.0", "0..0", "0.9.0.1", "0.9.0 ", " 0.9.0", "0.9.x", "-1.0.0",
                             "0.9.0rc1", "10000.0.0", "0.0.99999999999999999999"})
        EXPECT_FALSE(parse_version(text, version)) << text;
}

}  // namespace
}  // namespace idgen
