#include "core/layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/layout/calendar.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

constexpr std::uint8_t wraps = Layout::time_wraps;
constexpr std::uint8_t from_1 = Layout::sequence_from_1;
constexpr std::uint8_t above = Layout::sequence_above;

// The layout of the bytes in hexadecimal digits that its binary form has.
Layout layout_of_bytes(const std::string &hex) {
    auto field = [&](std::size_t byte, std::size_t size) {
        return std::stoull(hex.substr(2 * byte, 2 * size), nullptr, 16);
    };
    auto small = [&](std::size_t byte) { return static_cast<std::uint8_t>(field(byte, 1)); };
    return {static_cast<std::int64_t>(field(0, 8)),
            static_cast<std::uint16_t>(field(8, 2)),
            small(10),
            small(11),
            small(12),
            small(13),
            small(14),
            small(15)};
}

TEST(Layout, PresetsAreWhatTheirMakersPublish) {
    std::vector<Row> expected = read_csv("presets.csv");
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(preset_count));
    for (int i = 0; i < preset_count; i++) {
        std::string name = expected[static_cast<std::size_t>(i)].at("name");
        Layout layout = layout_of_bytes(expected[static_cast<std::size_t>(i)].at("bytes"));
        SCOPED_TRACE(name);
        EXPECT_EQ(preset(i).name, name);
        EXPECT_EQ(preset(i).layout, layout);
        EXPECT_EQ(validate(preset(i).layout), LayoutReason::none);
        EXPECT_EQ(find_preset(name), &preset(i));
        EXPECT_EQ(find_preset(layout), &preset(i));
    }
}

TEST(Layout, FindsNoPresetWhereNoneIs) {
    for (const char *name : {"", "instagra", "instagram2", "insta gram", "\u0130nstagram", "-"})
        EXPECT_EQ(find_preset(name), nullptr) << name;
    Layout layout = preset(0).layout;
    layout.epoch_ms++;
    EXPECT_EQ(find_preset(layout), nullptr);
    EXPECT_EQ(find_preset(Layout{}), nullptr);
}

TEST(Layout, FindsPresetsInUpperCase) {
    for (const char *name : {"Instagram", "INSTAGRAM", "inStagram"}) EXPECT_EQ(find_preset(name), &preset(0)) << name;
}

TEST(Layout, FindsThePresetThatMayHaveBeenMeant) {
    struct {
        std::string_view word, name;
    } cases[] = {{"instagra", "instagram"},   {"Instagarm", "instagram"},  {"snowflak", "snowflake"},
                 {"snowflakes", "snowflake"}, {"disc0rd", "discord"},      {"TWIT", "twitter"},
                 {"mas", "mastodon"},         {"sonyflake3", "sonyflake"}, {"js54", "js53"}};
    for (auto [word, name] : cases) {
        ASSERT_NE(nearest_preset(word), nullptr) << word;
        EXPECT_EQ(nearest_preset(word)->name, name) << word;
    }
    std::string lengthy(1000000, 'i');
    for (std::string_view word :
         {std::string_view(""), std::string_view("instagram"), std::string_view("Trace"), std::string_view("in"),
          std::string_view("facebook"), std::string_view("shard=5"), std::string_view(lengthy)})
        EXPECT_EQ(nearest_preset(word), nullptr) << word.substr(0, 20);
}

TEST(Layout, PresetsEndWhenTheyShould) {
    for (const Row &row : read_csv("presets.csv")) {
        const Layout &layout = find_preset(row.at("name"))->layout;
        std::int64_t first_ms = number(row.at("first_ms"));
        std::int64_t end_ms = number(row.at("last_ms")) + number(row.at("tick_ms"));
        EXPECT_EQ(turn_ticks(layout), (end_ms - first_ms) / number(row.at("tick_ms"))) << row.at("name");
        EXPECT_EQ(end_of_first_turn(layout), us_of(end_ms)) << row.at("name");
    }
}

TEST(Layout, ValidateChecksTheFieldsAgainstEachOther) {
    using R = LayoutReason;
    constexpr std::int64_t year_1 = -62135596800000, year_9999 = 253402300799999;
    constexpr struct {
        const char *what;
        Layout layout;
        LayoutReason reason;
    } cases[] = {
        {"time alone", {0, 1, 41, 0, 0, 0, 0, 0}, R::none},
        {"every field", {0, 1, 41, 5, 5, 12, 0, 0}, R::none},
        {"every flag", {0, 1000, 25, 5, 5, 12, wraps | from_1 | above, 0}, R::none},
        {"zero is not 0", {0, 1, 41, 0, 5, 12, 0, 1}, R::malformed},
        {"an unknown flag", {0, 1, 41, 0, 5, 12, 16, 0}, R::malformed},
        {"the highest flag", {0, 1, 41, 0, 5, 12, 0x80, 0}, R::malformed},
        {"sequence above no node", {0, 1, 41, 0, 0, 12, above, 0}, R::malformed},
        {"no sequence above the node", {0, 1, 41, 0, 5, 0, above, 0}, R::malformed},
        {"from 1 without a sequence", {0, 1, 41, 0, 5, 0, from_1, 0}, R::malformed},
        {"all bytes set", {-1, 65535, 255, 255, 255, 255, 255, 255}, R::malformed},
        {"all bytes 0", {0, 0, 0, 0, 0, 0, 0, 0}, R::bad_unit},
        {"the first instant", {year_1, 1, 41, 0, 5, 12, 0, 0}, R::none},
        {"an instant too early", {year_1 - 1, 1, 41, 0, 5, 12, 0, 0}, R::bad_epoch},
        {"the last instant", {year_9999, 1, 41, 0, 5, 12, 0, 0}, R::none},
        {"an instant too late", {year_9999 + 1, 1, 41, 0, 5, 12, 0, 0}, R::bad_epoch},
        {"the lowest epoch", {INT64_MIN, 1, 41, 0, 5, 12, 0, 0}, R::bad_epoch},
        {"the highest epoch", {INT64_MAX, 1, 41, 0, 5, 12, 0, 0}, R::bad_epoch},
        {"unit 0", {0, 0, 41, 0, 5, 12, 0, 0}, R::bad_unit},
        {"unit 1000", {0, 1000, 32, 0, 5, 12, 0, 0}, R::none},
        {"unit 1001", {0, 1001, 32, 0, 5, 12, 0, 0}, R::bad_unit},
        {"unit 65535", {0, 65535, 32, 0, 5, 12, 0, 0}, R::bad_unit},
        {"no time", {0, 1, 0, 0, 5, 12, 0, 0}, R::no_time},
        {"one bit of time", {0, 1, 1, 0, 31, 31, 0, 0}, R::none},
        {"region without shard", {0, 1, 41, 5, 0, 12, 0, 0}, R::region_not_above_shard},
        {"node of 31", {0, 1, 30, 15, 16, 0, 0, 0}, R::none},
        {"node of 32", {0, 1, 30, 16, 16, 0, 0, 0}, R::field_too_wide},
        {"node of 510", {0, 1, 30, 255, 255, 0, 0, 0}, R::field_too_wide},
        {"sequence of 31", {0, 1, 30, 0, 0, 31, 0, 0}, R::none},
        {"sequence of 32", {0, 1, 30, 0, 0, 32, 0, 0}, R::field_too_wide},
        {"sequence of 255", {0, 1, 30, 0, 0, 255, 0, 0}, R::field_too_wide},
        {"64 bits", {0, 1, 41, 0, 13, 10, 0, 0}, R::none},
        {"65 bits", {0, 1, 42, 0, 13, 10, 0, 0}, R::too_many_bits},
        {"317 bits", {0, 1, 255, 0, 31, 31, 0, 0}, R::too_many_bits},
        {"63 wrapping bits", {0, 1, 40, 0, 13, 10, wraps, 0}, R::none},
        {"64 wrapping bits", {0, 1, 41, 0, 13, 10, wraps, 0}, R::wrap_sets_sign},
        {"2^53 ms", {0, 1, 53, 0, 0, 0, 0, 0}, R::none},
        {"2^53 ms of 54 bits", {0, 1, 54, 0, 0, 10, 0, 0}, R::none},
        {"2^53 ms from 9999", {year_9999, 1, 53, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^54 ms", {0, 1, 54, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^54 ms from year 1", {year_1, 1, 54, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^54 * 2 ms", {0, 2, 54, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^54 * 511 ms", {0, 511, 54, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^54 * 512 ms, which is 2^63", {0, 512, 54, 0, 0, 8, 0, 0}, R::outlasts_calendar},
        {"2^54 s, past 2^63", {0, 1000, 54, 0, 0, 8, 0, 0}, R::outlasts_calendar},
        {"2^53 s", {0, 1000, 53, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^43 s", {0, 1000, 43, 0, 0, 0, 0, 0}, R::none},
        {"2^44 s", {0, 1000, 44, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^63 ms", {0, 1, 63, 0, 0, 0, 0, 0}, R::outlasts_calendar},
        {"2^64 ms", {0, 1, 64, 0, 0, 0, 0, 0}, R::outlasts_calendar},
    };
    for (const auto &c : cases) EXPECT_EQ(validate(c.layout), c.reason) << c.what;
}

TEST(Layout, ValidLayoutsEndWithinTheCalendar) {
    Random random(2);
    int valid = 0;
    for (int i = 0; i < 200000; i++) {
        Layout layout{};
        layout.epoch_ms = random.between(min_instant_ms - 10, max_instant_ms + 10);
        layout.time_bits = static_cast<std::uint8_t>(random.between(0, 66));
        layout.region_bits = static_cast<std::uint8_t>(random.between(0, 8));
        layout.shard_bits = static_cast<std::uint8_t>(random.between(0, 16));
        layout.sequence_bits = static_cast<std::uint8_t>(random.between(0, 16));
        layout.flags = static_cast<std::uint8_t>(random.between(0, 7));
        layout.set_unit_us(random.once_in(2) ? 1000 * random.between(0, 1001) : random.between(0, 1000001));
        if (validate(layout) != LayoutReason::none) continue;
        valid++;
        int low_bits = layout.node_bits() + layout.sequence_bits;
        int bits = std::min(+layout.time_bits, 63 - low_bits);
        __int128 end = us_of(layout.epoch_ms) + (static_cast<__int128>(1) << bits) * layout.unit_us();
        ASSERT_TRUE(end <= calendar_end_us) << long_text(layout);
        ASSERT_EQ(end_of_first_turn(layout), static_cast<std::int64_t>(end)) << long_text(layout);
    }
    EXPECT_GT(valid, 10000);
}

TEST(Layout, EqualityIsOfEveryField) {
    const Layout layout{5, 1, 41, 5, 5, 12, from_1, 0};
    const Layout others[] = {
        {6, 1, 41, 5, 5, 12, from_1, 0}, {5, 2, 41, 5, 5, 12, from_1, 0}, {5, 1, 40, 5, 5, 12, from_1, 0},
        {5, 1, 41, 4, 5, 12, from_1, 0}, {5, 1, 41, 5, 6, 12, from_1, 0}, {5, 1, 41, 5, 5, 11, from_1, 0},
        {5, 1, 41, 5, 5, 12, 0, 0},      {5, 1, 41, 5, 5, 12, from_1, 1},
    };
    EXPECT_EQ(layout, (Layout{5, 1, 41, 5, 5, 12, from_1, 0}));
    for (const Layout &other : others) EXPECT_FALSE(layout == other) << long_text(other);
}

std::string printed(const Layout &layout) {
    char text[layout_text_size];
    return std::string(text, print_layout(layout, text));
}

TEST(LayoutText, PresetsAndTheirLongForms) {
    for (const Row &row : read_csv("presets.csv")) {
        const std::string &name = row.at("name"), &long_form = row.at("long_form");
        SCOPED_TRACE(name);
        Layout layout = layout_of(name);
        EXPECT_EQ(layout, layout_of(long_form));
        EXPECT_EQ(layout, find_preset(name)->layout);
        EXPECT_EQ(printed(layout), name);
        EXPECT_EQ(long_text(layout), long_form);
    }
}

TEST(LayoutText, SpellingsOfOneLayoutAreEqual) {
    constexpr struct {
        const char *text, *canonical;
    } cases[] = {
        {"  instagram\t\n", "instagram"},
        {"epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10", "instagram"},
        {"time=41 shard=13 sequence=10 unit=1ms epoch=2011-08-24T21:07:01.721Z", "instagram"},
        {"unit=1ms time=41 epoch=2011-08-24T21:07:01.721Z shard=13 sequence=10", "instagram"},
        {"\ttime=41\n shard=13\r\nsequence=10\v unit=1ms\f epoch=2011-08-24T21:07:01.721Z  ", "instagram"},
        {"epoch=2020-01-01 unit=1s time=32 shard=8 sequence=13", "js53"},
        {"epoch=2020-01-01T00:00:00.000Z unit=1000ms time=32 shard=8 sequence=13", "js53"},
        {"epoch=2014-09-01 unit=10ms time=39 sequence=8 shard=16", "sonyflake"},
        {"time=39 epoch=2014-09-01 sequence=8 unit=10ms shard=16", "sonyflake"},
        {"epoch=1970-01-01 unit=1ms time=48 sequence=16", "mastodon"},
        {"time=41 region=5 unit=1ms shard=5 epoch=2010-11-04T01:42:54.657Z sequence=12", "twitter"},
        {"time=041 shard=013 sequence=010 unit=01ms epoch=2011-08-24T21:07:01.721Z", "instagram"},
        {"epoch=1970-01-01T00:00:00.5Z unit=999ms time=9", "epoch=1970-01-01T00:00:00.500Z unit=999ms time=9"},
        {"unit=1000ms epoch=1970-01-01 time=9w shard=1", "epoch=1970-01-01T00:00:00Z unit=1s time=9w shard=1"},
        {"unit=2ms epoch=1970-01-01 time=9 sequence=1+1 region=1 shard=2",
         "epoch=1970-01-01T00:00:00Z unit=2ms time=9 sequence=1+1 region=1 shard=2"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(layout_of(c.text), layout_of(c.canonical)) << c.text;
        EXPECT_EQ(printed(layout_of(c.text)), c.canonical) << c.text;
    }
}

TEST(LayoutText, OrderOfFieldsMatters) {
    EXPECT_FALSE(layout_of("epoch=1970-01-01 unit=1ms time=41 shard=10 sequence=10") ==
                 layout_of("epoch=1970-01-01 unit=1ms time=41 sequence=10 shard=10"));
}

constexpr struct {
    const char *text;
    LayoutReason reason;
    const char *part;
} refused[] = {
    {"", LayoutReason::empty, ""},
    {" ", LayoutReason::empty, " "},
    {" \t\n\v\f\r", LayoutReason::empty, " \t\n\v\f\r"},
    {"Instagran", LayoutReason::unknown_word, "Instagran"},
    {"instagram2", LayoutReason::unknown_word, "instagram2"},
    {"instagram twitter", LayoutReason::unknown_word, "twitter"},
    {"instagram instagram", LayoutReason::unknown_word, "instagram"},
    {"instagram unit=1ms x", LayoutReason::unknown_word, "unit=1ms"},
    {"unit=1ms instagram", LayoutReason::unknown_word, "instagram"},
    {"epoch=1970-01-01 unit=1ms time=41; shard=5", LayoutReason::bad_flag, "time=41;"},
    {"epoch=1970-01-01;unit=1ms", LayoutReason::bad_epoch, "epoch=1970-01-01;unit=1ms"},
    {"unit", LayoutReason::unknown_word, "unit"},
    {"unit =1ms", LayoutReason::unknown_word, "unit"},
    {"Unit=1ms", LayoutReason::unknown_word, "Unit=1ms"},
    {"node=5", LayoutReason::unknown_word, "node=5"},
    {"=", LayoutReason::unknown_word, "="},
    {"epoch=1970-01-01 epoch=1970-01-01", LayoutReason::repeated_word, "epoch=1970-01-01"},
    {"unit=1ms unit=2ms", LayoutReason::repeated_word, "unit=2ms"},
    {"time=41 time=40", LayoutReason::repeated_word, "time=40"},
    {"time=41 shard=5 time=40", LayoutReason::repeated_word, "time=40"},
    {"time=41 region=5 region=6", LayoutReason::repeated_word, "region=6"},
    {"time=41 shard=5 shard=6", LayoutReason::repeated_word, "shard=6"},
    {"time=41 sequence=5 sequence=6", LayoutReason::repeated_word, "sequence=6"},
    {"time=", LayoutReason::bad_number, "time="},
    {"time=0", LayoutReason::bad_number, "time=0"},
    {"time=w", LayoutReason::bad_number, "time=w"},
    {"time=-1", LayoutReason::bad_number, "time=-1"},
    {"time=+41", LayoutReason::bad_number, "time=+41"},
    {"time=65536", LayoutReason::too_many_bits, "time=65536"},
    {"time=99999999999999999999", LayoutReason::too_many_bits, "time=99999999999999999999"},
    {"time=41 region=x", LayoutReason::bad_number, "region=x"},
    {"time=41 region=0 shard=5", LayoutReason::bad_number, "region=0"},
    {"time=41 shard=0", LayoutReason::bad_number, "shard=0"},
    {"time=41 sequence=0", LayoutReason::bad_number, "sequence=0"},
    {"time=41 sequence=+1", LayoutReason::bad_number, "sequence=+1"},
    {"unit=", LayoutReason::bad_unit, "unit="},
    {"unit=ms", LayoutReason::bad_unit, "unit=ms"},
    {"unit=1", LayoutReason::bad_unit, "unit=1"},
    {"unit=0ms", LayoutReason::bad_unit, "unit=0ms"},
    {"unit=0s", LayoutReason::bad_unit, "unit=0s"},
    {"unit=2s", LayoutReason::bad_unit, "unit=2s"},
    {"unit=1001ms", LayoutReason::bad_unit, "unit=1001ms"},
    {"unit=65537ms", LayoutReason::bad_unit, "unit=65537ms"},
    {"unit=-1ms", LayoutReason::bad_unit, "unit=-1ms"},
    {"unit=1MS", LayoutReason::bad_unit, "unit=1MS"},
    {"unit=0us", LayoutReason::bad_unit, "unit=0us"},
    {"unit=1000001us", LayoutReason::bad_unit, "unit=1000001us"},
    {"unit=4294967295us", LayoutReason::bad_unit, "unit=4294967295us"},
    {"unit=4294967296us", LayoutReason::bad_unit, "unit=4294967296us"},
    {"unit=4294967297us", LayoutReason::bad_unit, "unit=4294967297us"},
    {"unit=18446744073709551617us", LayoutReason::bad_unit, "unit=18446744073709551617us"},
    {"unit=4294968ms", LayoutReason::bad_unit, "unit=4294968ms"},
    {"unit=1ns", LayoutReason::bad_unit, "unit=1ns"},
    {"unit=1u", LayoutReason::bad_unit, "unit=1u"},
    {"unit=1uss", LayoutReason::bad_unit, "unit=1uss"},
    {"unit=us", LayoutReason::bad_unit, "unit=us"},
    {"unit=1.5us", LayoutReason::bad_unit, "unit=1.5us"},
    {"unit=1us unit=1us", LayoutReason::repeated_word, "unit=1us"},
    {"unit=1000us unit=1ms", LayoutReason::repeated_word, "unit=1ms"},
    {"unit=1msx", LayoutReason::bad_unit, "unit=1msx"},
    {"unit=1.5ms", LayoutReason::bad_unit, "unit=1.5ms"},
    {"epoch=", LayoutReason::bad_epoch, "epoch="},
    {"epoch=0", LayoutReason::bad_epoch, "epoch=0"},
    {"epoch=1900-02-29", LayoutReason::bad_epoch, "epoch=1900-02-29"},
    {"epoch=1970-01-01T00:00:00", LayoutReason::bad_epoch, "epoch=1970-01-01T00:00:00"},
    {"epoch=1970-01-01 00:00:00Z", LayoutReason::unknown_word, "00:00:00Z"},
    {"time=41W", LayoutReason::bad_flag, "time=41W"},
    {"time=41ww", LayoutReason::bad_flag, "time=41ww"},
    {"time=41+1", LayoutReason::bad_flag, "time=41+1"},
    {"time=41 region=5w shard=5", LayoutReason::bad_flag, "region=5w"},
    {"time=41 shard=5w", LayoutReason::bad_flag, "shard=5w"},
    {"time=41 shard=5+1", LayoutReason::bad_flag, "shard=5+1"},
    {"time=41 sequence=5w", LayoutReason::bad_flag, "sequence=5w"},
    {"time=41 sequence=5+", LayoutReason::bad_flag, "sequence=5+"},
    {"time=41 sequence=5+2", LayoutReason::bad_flag, "sequence=5+2"},
    {"time=41 sequence=5+11", LayoutReason::bad_flag, "sequence=5+11"},
    {"unit=1ms time=41", LayoutReason::no_epoch, ""},
    {"epoch=1970-01-01 time=41", LayoutReason::no_unit, ""},
    {"epoch=1970-01-01 unit=1ms", LayoutReason::no_time, ""},
    {"epoch=1970-01-01 unit=1ms shard=5", LayoutReason::no_time, ""},
    {"shard=5 time=41", LayoutReason::time_not_highest, "time=41"},
    {"sequence=5 time=41", LayoutReason::time_not_highest, "time=41"},
    {"region=5 time=41", LayoutReason::time_not_highest, "time=41"},
    {"time=41 shard=5 region=5", LayoutReason::region_not_above_shard, "region=5"},
    {"time=41 sequence=5 shard=5 region=5", LayoutReason::region_not_above_shard, "region=5"},
    {"time=41 region=5 sequence=5 shard=5", LayoutReason::region_not_above_shard, "sequence=5"},
    {"epoch=1970-01-01 unit=1ms time=41 region=5", LayoutReason::region_not_above_shard, ""},
    {"epoch=1970-01-01 unit=1ms time=41 sequence=5 region=5", LayoutReason::region_not_above_shard, ""},
    {"epoch=1970-01-01 unit=1ms time=30 shard=32", LayoutReason::field_too_wide, ""},
    {"epoch=1970-01-01 unit=1ms time=30 region=16 shard=16", LayoutReason::field_too_wide, ""},
    {"epoch=1970-01-01 unit=1ms time=30 region=64 shard=64", LayoutReason::field_too_wide, ""},
    {"epoch=1970-01-01 unit=1ms time=30 sequence=32", LayoutReason::field_too_wide, ""},
    {"time=65", LayoutReason::too_many_bits, "time=65"},
    {"time=41 shard=300", LayoutReason::too_many_bits, "shard=300"},
    {"time=41 sequence=65535", LayoutReason::too_many_bits, "sequence=65535"},
    {"epoch=1970-01-01 unit=1ms time=42 shard=13 sequence=10", LayoutReason::too_many_bits, ""},
    {"epoch=1970-01-01 unit=1ms time=64 sequence=1", LayoutReason::too_many_bits, ""},
    {"epoch=1970-01-01 unit=1ms time=41w shard=13 sequence=10", LayoutReason::wrap_sets_sign, ""},
    {"epoch=1970-01-01 unit=1ms time=54", LayoutReason::outlasts_calendar, ""},
    {"epoch=1970-01-01 unit=1ms time=64", LayoutReason::outlasts_calendar, ""},
    {"epoch=1970-01-01 unit=1s time=44", LayoutReason::outlasts_calendar, ""},
    {"epoch=1970-01-01 unit=1s time=54 sequence=8", LayoutReason::outlasts_calendar, ""},
    {"epoch=9999-12-31 unit=1ms time=53", LayoutReason::outlasts_calendar, ""},
};

TEST(LayoutText, RefusesAndNamesThePart) {
    for (const auto &c : refused) {
        SCOPED_TRACE(c.text);
        Exact text(c.text);
        Layout layout{};
        LayoutError error = parse_layout(text.view(), layout);
        EXPECT_EQ(error.reason, c.reason);
        EXPECT_EQ(error.part, c.part);
        if (error.part.empty()) continue;
        EXPECT_GE(error.part.data(), text.view().data());
        EXPECT_LE(error.part.data() + error.part.size(), text.view().data() + text.view().size());
    }
}

TEST(LayoutText, EveryReasonIsReached) {
    std::set<LayoutReason> reached;
    for (const auto &c : refused) reached.insert(c.reason);
    auto first = static_cast<int>(LayoutReason::empty);
    auto end = static_cast<int>(LayoutReason::malformed);  // only a binary value can be malformed
    for (int i = first; i < end; i++) EXPECT_TRUE(reached.count(static_cast<LayoutReason>(i)) == 1) << "reason " << i;
}

TEST(LayoutText, WordsMayBeOfAnyLength) {
    std::string word(5000, '9');
    for (const char *key : {"", "epoch=", "unit=", "time=", "region=", "shard=", "sequence="}) {
        Exact text(key + word);
        Layout layout{};
        LayoutError error = parse_layout(text.view(), layout);
        EXPECT_NE(error.reason, LayoutReason::none) << key;
        EXPECT_EQ(error.part.size(), text.view().size()) << key;
    }
}

// A whole number of ms, or any number of us.
std::int64_t some_unit_us(Random &random) {
    return random.once_in(2) ? 1000 * random.between(1, 1000) : random.between(1, longest_tick_us);
}

// Any layout that validate admits; its flags by chance.
Layout random_layout(Random &random) {
    for (;;) {
        Layout layout{};
        layout.epoch_ms = random.between(min_instant_ms, max_instant_ms);
        if (random.once_in(2)) layout.epoch_ms -= layout.epoch_ms % 1000;
        layout.time_bits = static_cast<std::uint8_t>(random.between(1, 62));
        if (random.once_in(2)) layout.shard_bits = static_cast<std::uint8_t>(random.between(1, 20));
        if (random.once_in(2)) layout.sequence_bits = static_cast<std::uint8_t>(random.between(1, 31));
        if (random.once_in(2)) layout.region_bits = static_cast<std::uint8_t>(random.between(1, 11));
        layout.flags = static_cast<std::uint8_t>(random.below(8));
        layout.set_unit_us(random.once_in(4) ? longest_tick_us : some_unit_us(random));
        if (validate(layout) == LayoutReason::none) return layout;
    }
}

// The long form with epoch and unit moved to other places, and other white space.
std::string shuffled(const std::string &long_form, Random &random) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < long_form.size();) {
        std::size_t end = std::min(long_form.find(' ', at), long_form.size());
        words.push_back(long_form.substr(at, end - at));
        at = end + 1;
    }
    for (std::size_t i = 0; i < 2; i++) {
        std::string word = words[0];
        words.erase(words.begin());
        words.insert(words.begin() + random.below(static_cast<std::uint32_t>(words.size() + 1)), word);
    }
    std::string text;
    for (const std::string &word : words) {
        do {
            text += " \t\n\r\v\f"[random.below(6)];
        } while (random.once_in(2));
        text += word;
    }
    return text;
}

TEST(LayoutText, WhatIsPrintedReadsBackEqual) {
    Random random(3);
    std::size_t longest = 0;
    for (int i = 0; i < 20000; i++) {
        Layout layout = random_layout(random);
        std::string text = printed(layout);
        longest = std::max(longest, text.size());
        ASSERT_EQ(layout_of(text), layout);
        std::string other = shuffled(long_text(layout), random);
        ASSERT_EQ(layout_of(other), layout) << other;
    }
    EXPECT_LE(longest, layout_text_size);
}

TEST(LayoutText, DamagedTextIsRefusedOrReadsBackEqual) {
    constexpr std::string_view bytes = "epochunitmsregionshardquence=0123456789 wW+-:.TZ\t\0\xFF";
    Random random(4);
    int accepted = 0;
    for (int i = 0; i < 50000; i++) {
        std::string text = long_text(random_layout(random));
        for (std::uint32_t damages = random.below(3) + 1; damages > 0 && !text.empty(); damages--) {
            std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
            char byte = bytes[random.below(static_cast<std::uint32_t>(bytes.size()))];
            switch (random.below(4)) {
                case 0:
                    text[at] = byte;
                    break;
                case 1:
                    text.insert(at, 1, byte);
                    break;
                case 2:
                    text.erase(at, 1);
                    break;
                default:
                    text.erase(at);
                    break;
            }
        }
        Exact exact(text);
        Layout layout{};
        if (parse_layout(exact.view(), layout).reason != LayoutReason::none) continue;
        accepted++;
        ASSERT_EQ(validate(layout), LayoutReason::none) << text;
        ASSERT_EQ(layout_of(printed(layout)), layout) << text;
    }
    EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace idgen
