// The length of a tick in a layout: as text, as bytes, and how long a layout lasts with it.
#include "core/layout/layout.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/layout/calendar.hpp"
#include "support.hpp"

namespace idgen {
namespace {

constexpr std::uint8_t in_us = Layout::unit_in_us;

std::string printed(const Layout &layout) {
    char text[layout_text_size];
    return std::string(text, print_layout(layout, text));
}

LayoutReason reason_of(const std::string &text) {
    Layout layout{};
    return parse_layout(text, layout).reason;
}

// The bytes are those of a little-endian machine, as columns have had them since the first release.
TEST(LayoutUnits, WholeMsHaveTheirBytesForGood) {
    constexpr struct {
        const char *text, *bytes;
    } cases[] = {
        {"instagram", "d9179efd31010000010029000d0a0000"},
        {"snowflake", "00e8665e6f010000010029000a0c0000"},
        {"twitter", "c1038d142c01000001002905050c0000"},
        {"discord", "00b0caa24a01000001002a05050c0000"},
        {"sonyflake", "00d8822e480100000a00270010080400"},
        {"sonyflake2", "007c291f940100000a00270010080400"},
        {"mastodon", "00000000000000000100300000100000"},
        {"js53", "00e8665e6f010000e8032000080d0000"},
        {"js53ms", "00e8665e6f0100000100290006060000"},
        {"idgen", "00a8da769b010000010029000c0a0000"},
        {"trace", "0000000000000000e803190010160300"},
        {"epoch=1970-01-01T00:00:00Z unit=1ms time=41", "00000000000000000100290000000000"},
        {"epoch=2020-01-01T00:00:00Z unit=999ms time=30 shard=4 sequence=12", "00e8665e6f010000e7031e00040c0000"},
        {"epoch=0001-01-01T00:00:00Z unit=100ms time=40 region=3 shard=5 sequence=9",
         "0028d3ed7cc7ffff6400280305090000"},
        {"epoch=9999-12-31T23:59:59.999Z unit=2ms time=30w sequence=8+1 region=2 shard=6",
         "ffdb1fd277e6000002001e0206080700"},
        {"epoch=1969-12-31T23:59:59.500Z unit=255ms time=32 sequence=31", "0cfeffffffffffffff002000001f0000"},
        {"epoch=2000-01-01T00:00:00Z unit=256ms time=32 shard=31", "00accf6adc000000000120001f000000"},
        {"epoch=1970-01-01T00:00:00Z unit=1s time=43 shard=10 sequence=10", "0000000000000000e8032b000a0a0000"},
    };
    int presets_seen = 0;
    for (const auto &c : cases) {
        Layout layout = layout_of(c.text);
        EXPECT_EQ(hex_of(layout), c.bytes) << c.text;
        EXPECT_EQ(printed(layout), c.text);
        presets_seen += find_preset(layout) != nullptr ? 1 : 0;
    }
    EXPECT_EQ(presets_seen, preset_count);
}

TEST(LayoutUnits, EachHasOneTextAndOneForm) {
    constexpr struct {
        const char *unit, *canonical;
        std::int64_t us;
        const char *bytes;  // those of the unit, the flags and the bits above
    } cases[] = {
        {"1us", "1us", 1, "01000800"},
        {"10us", "10us", 10, "0a000800"},
        {"100us", "100us", 100, "64000800"},
        {"125us", "125us", 125, "7d000800"},
        {"999us", "999us", 999, "e7030800"},
        {"1000us", "1ms", 1000, "01000000"},
        {"1001us", "1001us", 1001, "e9030800"},
        {"1500us", "1500us", 1500, "dc050800"},
        {"65535us", "65535us", 65535, "ffff0800"},
        {"65536us", "65536us", 65536, "00000801"},
        {"65537us", "65537us", 65537, "01000801"},
        {"131073us", "131073us", 131073, "01000802"},
        {"66000us", "66ms", 66000, "42000000"},
        {"999000us", "999ms", 999000, "e7030000"},
        {"999999us", "999999us", 999999, "3f42080f"},
        {"1000000us", "1s", 1000000, "e8030000"},
        {"1ms", "1ms", 1000, "01000000"},
        {"999ms", "999ms", 999000, "e7030000"},
        {"1000ms", "1s", 1000000, "e8030000"},
        {"1s", "1s", 1000000, "e8030000"},
        {"000125us", "125us", 125, "7d000800"},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.unit);
        auto text = [](const char *unit) {
            return "epoch=2026-01-01T00:00:00Z unit=" + std::string(unit) + " time=40";
        };
        Layout layout = layout_of(text(c.unit));
        EXPECT_EQ(layout.unit_us(), c.us);
        EXPECT_EQ(printed(layout), text(c.canonical));
        EXPECT_EQ(layout_of(text(c.canonical)), layout);
        std::string bytes = hex_of(layout);
        EXPECT_EQ(bytes.substr(16, 4) + bytes.substr(28), c.bytes);
    }
}

TEST(LayoutUnits, SettingOneLeavesTheOtherFlags) {
    Layout layout = layout_of("epoch=2026-01-01 unit=1ms time=20w sequence=5+1 shard=4");
    std::uint8_t flags = layout.flags;
    for (std::int64_t us : {1, 999999, 1000, 65536, 1000000, 65000, 131072, 2000}) {
        layout.set_unit_us(us);
        EXPECT_EQ(layout.unit_us(), us);
        EXPECT_EQ(layout.flags & ~in_us, flags);
        EXPECT_EQ(validate(layout), LayoutReason::none) << us;
    }
}

TEST(LayoutUnits, EveryOneComesBackFromItsText) {
    for (std::int64_t us = 1; us <= longest_tick_us; us += us < 3000 || us > 998000 ? 1 : 37) {
        Layout layout = layout_of("epoch=2026-01-01 unit=1ms time=40");
        layout.set_unit_us(us);
        ASSERT_EQ(layout.unit_us(), us);
        ASSERT_EQ(validate(layout), LayoutReason::none) << us;
        ASSERT_EQ(layout_of(printed(layout)), layout) << us;
    }
}

TEST(LayoutUnits, AFormThatAnotherHasIsMalformed) {
    using R = LayoutReason;
    constexpr struct {
        const char *what;
        Layout layout;
        LayoutReason reason;
    } cases[] = {
        {"1 us", {0, 1, 40, 0, 0, 0, in_us, 0}, R::none},
        {"999999 us", {0, 0x423f, 40, 0, 0, 0, in_us, 15}, R::none},
        {"65536 us", {0, 0, 40, 0, 0, 0, in_us, 1}, R::none},
        {"0 us", {0, 0, 40, 0, 0, 0, in_us, 0}, R::malformed},
        {"1 ms in us", {0, 1000, 40, 0, 0, 0, in_us, 0}, R::malformed},
        {"65 ms in us", {0, 65000, 40, 0, 0, 0, in_us, 0}, R::malformed},
        {"66 ms in us", {0, 464, 40, 0, 0, 0, in_us, 1}, R::malformed},
        {"1 s in us", {0, 0x4240, 40, 0, 0, 0, in_us, 15}, R::malformed},
        {"2 s in us", {0, 0x8480, 40, 0, 0, 0, in_us, 30}, R::malformed},
        {"1000001 us", {0, 0x4241, 40, 0, 0, 0, in_us, 15}, R::bad_unit},
        {"16777215 us", {0, 65535, 40, 0, 0, 0, in_us, 255}, R::bad_unit},
        {"bits above of ms", {0, 1, 40, 0, 0, 0, 0, 1}, R::malformed},
        {"all bits above of ms", {0, 1000, 40, 0, 0, 0, 0, 255}, R::malformed},
        {"bits above of no unit", {0, 0, 40, 0, 0, 0, 0, 1}, R::malformed},
        {"the next flag", {0, 1, 40, 0, 0, 0, in_us | 16, 0}, R::malformed},
        {"every flag", {0, 1, 25, 5, 5, 12, 7 | in_us, 0}, R::none},
    };
    for (const auto &c : cases) EXPECT_EQ(validate(c.layout), c.reason) << c.what;
}

TEST(LayoutUnits, NoLayoutOutlastsTheCalendar) {
    using R = LayoutReason;
    const struct {
        std::string text;
        LayoutReason reason;
    } cases[] = {
        {"epoch=1970-01-01T00:00:00Z unit=1us time=53 shard=10", R::none},  // a TID of the AT Protocol
        {"epoch=0001-01-01 unit=1us time=62", R::none},
        {"epoch=9999-12-31 unit=1us time=62", R::none},
        {"epoch=0001-01-01 unit=1us time=63", R::outlasts_calendar},
        {"epoch=0001-01-01 unit=1us time=63 sequence=1", R::none},  // its highest bit is never set
        {"epoch=0001-01-01 unit=1us time=62 sequence=2", R::none},
        {"epoch=0001-01-01 unit=1us time=62w sequence=1", R::none},
        {"epoch=0001-01-01 unit=2us time=61", R::none},
        {"epoch=9999-12-31 unit=2us time=61", R::none},
        {"epoch=9999-12-31 unit=2us time=62", R::outlasts_calendar},
        {"epoch=0001-01-01 unit=2us time=62", R::outlasts_calendar},  // more us than 63 bits hold
        {"epoch=2000-01-01 unit=3us time=61", R::none},
        {"epoch=2000-01-01 unit=3us time=62", R::outlasts_calendar},
        {"epoch=2000-01-01 unit=999us time=53", R::none},
        {"epoch=9999-12-31 unit=999us time=53", R::outlasts_calendar},
        {"epoch=2000-01-01 unit=999us time=54", R::outlasts_calendar},
        {"epoch=2000-01-01 unit=999999us time=43", R::none},
        {"epoch=2000-01-01 unit=999999us time=44", R::outlasts_calendar},
        {"epoch=2000-01-01 unit=999999us time=62", R::outlasts_calendar},
    };
    for (const auto &c : cases) EXPECT_EQ(reason_of(c.text), c.reason) << c.text;

    // To the ms: 2^53 ticks of 999 us.
    Layout last = layout_of("epoch=2000-01-01 unit=999us time=53");
    last.epoch_ms = ms_down(calendar_end_us - (std::int64_t{999} << 53));
    EXPECT_EQ(validate(last), R::none);
    EXPECT_LE(end_of_first_turn(last), calendar_end_us);
    last.epoch_ms++;
    EXPECT_EQ(validate(last), R::outlasts_calendar);
}

TEST(LayoutUnits, ATidEndsInTheYear2255) {
    Layout tid = layout_of("epoch=1970-01-01 unit=1us time=53 shard=10");
    EXPECT_EQ(end_of_first_turn(tid), us_of(0) + (std::int64_t{1} << 53));
    EXPECT_EQ(tid.total_bits(), 63);
}

}  // namespace
}  // namespace idgen
