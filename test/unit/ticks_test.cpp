// Times: instants, the ticks of a packing, and the spans of IDs that start in a period.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/layout/instant.hpp"
#include "core/layout/packing.hpp"
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

// The ticks of a packing against plain arithmetic of 128 bits, for ticks of any length and instants of any age.

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

constexpr std::int64_t earliest = us_of(-210866803200000);  // 4714-11-24 BC, where timestamptz begins
constexpr std::int64_t latest = calendar_end_us - 1;        // where it ends

TEST(IdSpan, HoldsExactlyTheTicksThatStartInThePeriod) {
    Random random(11);
    for (int i = 0; i < preset_count; i++) {
        Packing p = packing_of(preset(i).layout);
        if (p.wraps) continue;
        SCOPED_TRACE(preset(i).name);
        for (int round = 0; round < 2000; round++) {
            std::int64_t tick = random.between(1, p.tick_end - 2);
            std::int64_t start = start_of(p, tick);
            std::int64_t from = start + random.between(-2 * p.unit_us, 2 * p.unit_us);
            std::int64_t end = start + random.between(-2 * p.unit_us, 2 * p.unit_us);
            IdSpan span = span_between(p, from, end);
            for (std::int64_t near : {tick - 1, tick, tick + 1}) {
                bool within = start_of(p, near) >= from && start_of(p, near) < end;
                EXPECT_EQ(span.holds(lowest_id(p, near)), within) << from << ' ' << end << ' ' << near;
                EXPECT_EQ(span.holds(highest_id(p, near)), within) << from << ' ' << end << ' ' << near;
            }
        }
    }
}

TEST(IdSpan, EndsWhereTheLayoutEnds) {
    for (int i = 0; i < preset_count; i++) {
        Packing p = packing_of(preset(i).layout);
        if (p.wraps) continue;
        SCOPED_TRACE(preset(i).name);
        std::int64_t largest = highest_id(p, p.tick_end - 1);
        std::int64_t end = start_of(p, p.tick_end);
        IdSpan all = span_between(p, earliest, latest);
        EXPECT_EQ(all.first, 0);
        EXPECT_EQ(all.last, largest);
        EXPECT_FALSE(all.holds(-1));
        EXPECT_FALSE(all.holds(INT64_MIN));
        EXPECT_EQ(all.holds(INT64_MAX), largest == INT64_MAX);
        IdSpan last = span_between(p, end - 1000, end);
        EXPECT_EQ(last.holds(largest), p.unit_us == 1000);
        EXPECT_EQ(span_between(p, end - p.unit_us, end).last, largest);
        EXPECT_EQ(span_between(p, p.epoch_us, p.epoch_us + 1).last, highest_id(p, 0));
    }
}

TEST(IdSpan, NothingIsAdjacentAndHoldsNothing) {
    Packing p = packing_of("js53");
    std::int64_t start = start_of(p, 1000);
    const struct {
        std::int64_t from, end;
    } cases[] = {
        {start, start},
        {start + 1, start + 999999},
        {start + 5000000, start},
        {earliest, p.epoch_us},
        {earliest, earliest},
        {start_of(p, p.tick_end), latest},
        {start_of(p, p.tick_end - 1) + 1, latest},
        {latest, latest},
        {latest, earliest},
    };
    for (const auto &c : cases) {
        IdSpan span = span_between(p, c.from, c.end);
        EXPECT_EQ(span.first, span.last + 1) << c.from << ' ' << c.end;
        EXPECT_FALSE(span.holds(span.first));
        EXPECT_FALSE(span.holds(span.last));
    }
}

}  // namespace
}  // namespace idgen
