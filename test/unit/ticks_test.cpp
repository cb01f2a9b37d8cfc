// The ticks of a packing against plain arithmetic of 128 bits, for ticks of any length and instants of any age.
#include "core/layout/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

using Wide = __int128;

// Time that wraps has ticks up to the end of the calendar: from the first epoch more than 63 bits of us.
const std::string layouts[] = {
    "epoch=0001-01-01 unit=1us time=62",
    "epoch=1970-01-01 unit=1us time=53 shard=10",
    "epoch=9999-12-31T23:59:59.999Z unit=1us time=62",
    "epoch=0001-01-01 unit=100us time=56",
    "epoch=2026-01-01 unit=100us time=45 shard=8 sequence=4",
    "epoch=9999-12-31 unit=100us time=56",
    "epoch=0001-01-01 unit=1500us time=52",
    "epoch=1999-12-31T23:59:59.999Z unit=1500us time=42 shard=10 sequence=4",
    "epoch=9999-12-31 unit=1500us time=52",
    "epoch=2000-01-01 unit=999999us time=43",
    "epoch=1970-01-01 unit=1ms time=53",
    "epoch=2014-09-01 unit=10ms time=39 sequence=8 shard=16",
    "epoch=0001-01-01 unit=1s time=43",
    "epoch=0001-01-01 unit=1us time=10w sequence=4",
    "epoch=0001-01-01 unit=1us time=62w",
    "epoch=2000-01-01 unit=1us time=20w sequence=4",
    "epoch=0001-01-01 unit=100us time=56w",
    "epoch=9999-12-31 unit=100us time=3w sequence=4",
    "epoch=1969-12-31T23:59:59.999Z unit=1500us time=52w",
    "epoch=0001-01-01 unit=1500us time=12w sequence=2",
    "trace",
};

struct Plain {
    Wide epoch_us, unit_us, end;

    explicit Plain(const Layout &layout)
        : epoch_us((static_cast<Wide>(layout.epoch_ms) - year_2000_ms) * 1000), unit_us(layout.unit_us()) {
        Wide all = (static_cast<Wide>(calendar_end_us) - epoch_us) / unit_us;
        bool wraps = layout.has(Layout::time_wraps);
        end = wraps ? std::min(all, static_cast<Wide>(INT64_MAX)) : static_cast<Wide>(turn_ticks(layout));
    }
    Wide tick_of(Wide us) const { return us < epoch_us ? -1 : std::min((us - epoch_us) / unit_us, end); }
    Wide tick_from(Wide us) const {
        return us <= epoch_us ? 0 : std::min((us - epoch_us + unit_us - 1) / unit_us, end);
    }
    Wide start_of(Wide tick) const { return epoch_us + tick * unit_us; }
};

bool same(std::int64_t a, Wide b) {
    return static_cast<Wide>(a) == b;
}

bool is_instant(Wide us) {
    return us >= INT64_MIN && us <= INT64_MAX;
}

// Where ticks begin and end, and anywhere.
std::vector<std::int64_t> some_instants(const Plain &plain, Random &random) {
    std::vector<std::int64_t> instants{INT64_MIN, INT64_MAX, -calendar_end_us, calendar_end_us, 0};
    std::vector<Wide> ticks{-1, 0, 1, 2, plain.end / 2, plain.end - 1, plain.end, plain.end + 1};
    for (int i = 0; i < 200; i++) ticks.push_back(random.between(0, static_cast<std::int64_t>(plain.end)));
    for (Wide tick : ticks)
        for (Wide off : {Wide{-1000}, -plain.unit_us + 1, Wide{-1}, Wide{0}, Wide{1}, plain.unit_us - 1, Wide{1000}})
            if (is_instant(plain.start_of(tick) + off))
                instants.push_back(static_cast<std::int64_t>(plain.start_of(tick) + off));
    for (int i = 0; i < 500; i++) {
        instants.push_back(random.between(INT64_MIN, INT64_MAX));
        instants.push_back(random.between(us_of(-62135596800000), us_of(4102444800000)));
    }
    return instants;
}

TEST(Ticks, OfAnyInstant) {
    Random random(62);
    for (const std::string &text : layouts) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Plain plain(layout_of(text));
        ASSERT_TRUE(same(p.tick_end, plain.end));
        for (std::int64_t us : some_instants(plain, random)) {
            ASSERT_TRUE(same(tick_of(p, us), plain.tick_of(us))) << us;
            ASSERT_TRUE(same(tick_from(p, us), plain.tick_from(us))) << us;
        }
    }
}

TEST(Ticks, StartWhereTheyDo) {
    Random random(63);
    for (const std::string &text : layouts) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Plain plain(layout_of(text));
        std::vector<std::int64_t> ticks{-1, 0, 1, p.tick_end - 1, p.tick_end};
        for (int i = 0; i < 500; i++) ticks.push_back(random.between(0, p.tick_end));
        for (std::int64_t number : ticks) {
            Tick tick = make_tick(p, number);
            ASSERT_EQ(tick.number, number);
            ASSERT_TRUE(same(tick.start_us, plain.start_of(number))) << number;
            ASSERT_EQ(tick.start_us, start_of(p, number));
            ASSERT_LE(us_of(tick.start_ms), tick.start_us);
            ASSERT_GT(us_of(tick.start_ms) + 1000, tick.start_us);
        }
    }
}

TEST(Ticks, ContainWhatLiesBetweenTwoStarts) {
    Random random(64);
    for (const std::string &text : layouts) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Plain plain(layout_of(text));
        for (std::int64_t us : some_instants(plain, random)) {
            Wide beside = Wide{tick_of(p, us)} + random.between(-1, 1);
            auto number = static_cast<std::int64_t>(std::clamp<Wide>(beside, 0, p.tick_end));
            bool is_within = plain.start_of(number) <= us && us < plain.start_of(Wide{number} + 1);
            ASSERT_EQ(contains(p, make_tick(p, number), us), is_within) << number << ' ' << us;
        }
    }
}

// The nearest of all turns that the calendar has, of two as near the earlier.
Wide plain_nearest(const Plain &plain, Wide turn_us, Wide tick, Wide near_us) {
    Wide first = plain.start_of(tick);
    if (near_us <= first) return first;
    Wide before = first + (near_us - first) / turn_us * turn_us;
    Wide after = before + turn_us;
    return after < calendar_end_us && after - near_us < near_us - before ? after : before;
}

TEST(Ticks, ComeInTheNearestTurn) {
    Random random(65);
    for (const std::string &text : layouts) {
        Packing p = packing_of(text);
        if (!p.wraps) continue;
        SCOPED_TRACE(text);
        Plain plain(layout_of(text));
        Wide turn_us = (static_cast<Wide>(p.time_mask) + 1) * plain.unit_us;
        auto ticks_end = static_cast<std::int64_t>(p.time_mask);
        auto reach = static_cast<std::int64_t>(std::min(2 * turn_us, Wide{calendar_end_us}));
        for (int i = 0; i < 4000; i++) {
            std::int64_t tick = random.once_in(8) ? 0 : random.between(0, ticks_end);
            std::int64_t near = random.between(-calendar_end_us, calendar_end_us - 1);
            if (i % 4 == 1) near = calendar_end_us - random.between(1, reach);
            if (i % 4 == 2) near = std::max(p.epoch_us, calendar_end_us - reach) + random.between(-2000, 2000);
            if (i % 4 == 3) near = calendar_end_us - random.between(1, 2000);
            near = std::min(near, calendar_end_us - 1);
            ASSERT_TRUE(same(start_nearest(p, tick, near), plain_nearest(plain, turn_us, tick, near)))
                << tick << " near " << near;
        }
    }
}

// A period of the first us holds what starts in it, and no more.
TEST(Ticks, OfAPeriod) {
    Packing p = packing_of("epoch=1970-01-01 unit=1500us time=42 shard=10 sequence=4");
    const struct {
        std::int64_t from_us, end_us, first, last;  // us since 1970
    } cases[] = {
        {0, 1500, 0, 0},    {0, 1501, 0, 1},      {1, 1500, -1, -1},  {1, 1501, 1, 1},
        {1500, 1501, 1, 1}, {1499, 1500, -1, -1}, {-5000, 1, 0, 0},   {-5000, 0, -1, -1},
        {1000, 4000, 1, 2}, {3001, 4500, -1, -1}, {3001, 4501, 3, 3}, {3000, 3000, -1, -1},
    };
    for (const auto &c : cases) {
        IdSpan span = span_between(p, us_of(0) + c.from_us, us_of(0) + c.end_us);
        bool is_empty = c.first < 0;
        EXPECT_EQ(span.first, is_empty ? no_ids.first : lowest_id(p, c.first)) << c.from_us << ' ' << c.end_us;
        EXPECT_EQ(span.last, is_empty ? no_ids.last : highest_id(p, c.last)) << c.from_us << ' ' << c.end_us;
    }
}

TEST(Ticks, OfAnotherLengthMakeAnotherKey) {
    auto key = [](const char *unit) {
        return key_of(layout_of("epoch=2026-01-01 unit=" + std::string(unit) + " time=30 shard=8 sequence=8"));
    };
    // 65537 and 1 have the same lowest 16 bits.
    const char *units[] = {"1us", "65537us", "999us", "1ms", "2ms", "1500us", "999999us", "1s"};
    for (const char *a : units)
        for (const char *b : units) {
            PackingKey left = key(a), right = key(b);
            EXPECT_EQ(std::memcmp(&left, &right, sizeof left) == 0, a == b) << a << ' ' << b;
        }
    PackingKey micros = key("1000us"), millis = key("1ms");
    EXPECT_EQ(std::memcmp(&micros, &millis, sizeof micros), 0);
    for (const std::string &text : layouts) {
        Layout layout = layout_of(text);
        EXPECT_EQ(layout_of(key_of(layout), form_of(layout)), layout) << text;
        EXPECT_EQ(form_of(layout).flags & Layout::unit_in_us, 0) << text << ": the key has the unit";
    }
}

}  // namespace
}  // namespace idgen
