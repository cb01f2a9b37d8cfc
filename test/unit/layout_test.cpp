#include "core/layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

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
    for (const char *name : {"", "Instagram", "instagra", "instagram2", "insta gram", "-"})
        EXPECT_EQ(find_preset(name), nullptr) << name;
    Layout layout = preset(0).layout;
    layout.epoch_ms++;
    EXPECT_EQ(find_preset(layout), nullptr);
    EXPECT_EQ(find_preset(Layout{}), nullptr);
}

TEST(Layout, PresetsEndWhenTheyShould) {
    for (const Row &row : read_csv("presets.csv")) {
        const Layout &layout = find_preset(row.at("name"))->layout;
        std::int64_t first_ms = number(row.at("first_ms"));
        std::int64_t end_ms = number(row.at("last_ms")) + number(row.at("tick_ms"));
        EXPECT_EQ(turn_ticks(layout), (end_ms - first_ms) / number(row.at("tick_ms"))) << row.at("name");
        EXPECT_EQ(end_of_first_turn(layout), end_ms) << row.at("name");
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
        {"an unknown flag", {0, 1, 41, 0, 5, 12, 8, 0}, R::malformed},
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
        layout.unit_ms = static_cast<std::uint16_t>(random.between(0, 1001));
        layout.time_bits = static_cast<std::uint8_t>(random.between(0, 66));
        layout.region_bits = static_cast<std::uint8_t>(random.between(0, 8));
        layout.shard_bits = static_cast<std::uint8_t>(random.between(0, 16));
        layout.sequence_bits = static_cast<std::uint8_t>(random.between(0, 16));
        layout.flags = static_cast<std::uint8_t>(random.between(0, 7));
        if (validate(layout) != LayoutReason::none) continue;
        valid++;
        int low_bits = layout.node_bits() + layout.sequence_bits;
        int bits = std::min(+layout.time_bits, 63 - low_bits);
        __int128 end = layout.epoch_ms + (static_cast<__int128>(1) << bits) * layout.unit_ms;
        ASSERT_TRUE(end <= calendar_end_ms) << long_text(layout);
        ASSERT_EQ(end_of_first_turn(layout), static_cast<std::int64_t>(end)) << long_text(layout);
    }
    EXPECT_GT(valid, 10000);
}

TEST(Layout, EqualityIsOfEveryField) {
    const Layout layout{5, 1, 41, 5, 5, 12, from_1, 0};
    const Layout others[] = {
        {6, 1, 41, 5, 5, 12, from_1, 0}, {5, 2, 41, 5, 5, 12, from_1, 0}, {5, 1, 40, 5, 5, 12, from_1, 0},
        {5, 1, 41, 4, 5, 12, from_1, 0}, {5, 1, 41, 5, 6, 12, from_1, 0}, {5, 1, 41, 5, 5, 11, from_1, 0},
        {5, 1, 41, 5, 5, 12, 0, 0},
    };
    EXPECT_EQ(layout, (Layout{5, 1, 41, 5, 5, 12, from_1, 0}));
    for (const Layout &other : others) EXPECT_FALSE(layout == other) << long_text(other);
}

}  // namespace
}  // namespace idgen
