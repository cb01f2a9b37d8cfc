#include "core/layout/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/layout/calendar.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

const std::string millis = "epoch=1970-01-01 unit=1ms ";
const std::string tens = "epoch=1970-01-01 unit=10ms ";
const std::string seconds = "epoch=1970-01-01 unit=1s ";

// The presets, and layouts that have fields, or lack some, as no preset does.
std::vector<Layout> all_layouts() {
    std::vector<Layout> layouts;
    for (int i = 0; i < preset_count; i++) layouts.push_back(preset(i).layout);
    for (const std::string &text :
         {millis + "time=41", millis + "time=41 shard=22", seconds + "time=32 sequence=31", tens + "time=20w shard=3",
          seconds + "time=2w sequence=2+1 region=3 shard=2", millis + "time=53 sequence=1+1",
          seconds + "time=1 shard=31 sequence=31", seconds + "time=1 sequence=31 shard=31",
          tens + "time=33 sequence=31", millis + "time=40w region=5 shard=8 sequence=10"})
        layouts.push_back(layout_of(text));
    return layouts;
}

// The ID by multiplication, field by field from the lowest.
__int128 id_by_product(const Layout &l, std::int64_t tick, std::uint32_t shard, std::uint32_t sequence) {
    __int128 shards = static_cast<__int128>(1) << l.node_bits();
    __int128 sequences = static_cast<__int128>(1) << l.sequence_bits;
    __int128 low = l.has(Layout::sequence_above) ? sequence * shards + shard : shard * sequences + sequence;
    return (tick % turn_ticks(l)) * shards * sequences + low;
}

std::vector<std::int64_t> edges(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> values{first, first + 1, first + (last - first) / 2, last - 1, last};
    values.erase(std::remove_if(values.begin(), values.end(), [&](std::int64_t v) { return v < first || v > last; }),
                 values.end());
    return values;
}

TEST(Packing, PresetsHaveTheseLimits) {
    for (const Row &row : read_csv("presets.csv")) {
        SCOPED_TRACE(row.at("name"));
        Packing p = packing_of(row.at("name"));
        std::int64_t first_ms = number(row.at("first_ms")), last_ms = number(row.at("last_ms"));
        std::int64_t tick_ms = number(row.at("tick_ms"));
        EXPECT_EQ(p.wraps, row.at("wraps") == "true");
        // A time that wraps goes on to the end of the calendar.
        EXPECT_EQ(p.tick_end, ((p.wraps ? calendar_end_ms - tick_ms : last_ms) - first_ms) / tick_ms + 1);
        EXPECT_EQ(p.shard_last, number(row.at("shards")) - 1);
        EXPECT_EQ(p.sequence_first, number(row.at("first_sequence")));
        EXPECT_EQ(p.sequence_last, number(row.at("last_sequence")));
        EXPECT_EQ(p.time_shift, number(row.at("time_shift")));
        if (p.shard_last != 0) {
            EXPECT_EQ(p.shard_shift, number(row.at("shard_shift")));
        }
        EXPECT_EQ(p.sequence_shift, number(row.at("sequence_shift")));
        EXPECT_EQ(highest_id(p, static_cast<std::int64_t>(p.time_mask)), number(row.at("largest_id")));
    }
}

TEST(Packing, PresetsPackThisTick) {
    for (const Row &row : read_csv("presets.csv")) {
        SCOPED_TRACE(row.at("name"));
        Packing p = packing_of(row.at("name"));
        std::int64_t tick = tick_of(p, us_of(number(row.at("noon_ms"))));
        EXPECT_EQ(pack(p, tick, 0, p.sequence_first), number(row.at("noon_lowest")));
        EXPECT_EQ(pack(p, tick, p.shard_last, p.sequence_last), number(row.at("noon_highest")));
    }
}

TEST(Packing, PacksTheseIds) {
    const struct {
        std::string layout;
        std::int64_t tick;
        std::uint32_t shard, sequence;
        std::int64_t id;
    } cases[] = {
        {"instagram", 0, 0, 1, 1},
        {"instagram", 0, 1, 0, 1024},
        {"instagram", 1, 0, 0, 8388608},
        {"instagram", 137438953472, 1341, 1, 1152921504608220161},
        {"instagram", 1099511627775, 8191, 1023, INT64_MAX},
        {"twitter", 367597485448, 378, 0, 1541815603606036480},
        {"sonyflake", 1, 65535, 255, 33554431},
        {"sonyflake", 123456789, 2571, 17, 2071261216836107},
        {"js53", 4294967295, 255, 8191, 9007199254740991},
        {"mastodon", 1, 0, 2, 65538},
        {"trace", 0, 8, 2649243, 36203675},
        {"trace", 33554432, 8, 2649243, 36203675},
        {"trace", 18909467, 59071, 2731387, 5197794958151101819},
        {millis + "time=41", 5, 0, 0, 5},
        {millis + "time=3 sequence=2 shard=2", 1, 2, 3, 16 + 12 + 2},
        {millis + "time=3 shard=2 sequence=2", 1, 2, 3, 16 + 8 + 3},
        {millis + "time=3 region=1 shard=2 sequence=2", 1, 6, 3, 32 + 24 + 3},
    };
    for (const auto &c : cases) {
        Packing p = packing_of(c.layout);
        EXPECT_EQ(pack(p, c.tick, c.shard, c.sequence), c.id) << c.layout << ' ' << c.id;
    }
}

TEST(Packing, UnpacksWhatItPackedAtTheEdgesOfEveryField) {
    for (const Layout &layout : all_layouts()) {
        SCOPED_TRACE(long_text(layout));
        Packing p = packing_of(layout);
        for (std::int64_t tick : edges(0, static_cast<std::int64_t>(p.time_mask)))
            for (std::int64_t shard : edges(0, p.shard_last))
                for (std::int64_t sequence : edges(p.sequence_first, p.sequence_last)) {
                    auto shard_in = static_cast<std::uint32_t>(shard);
                    auto sequence_in = static_cast<std::uint32_t>(sequence);
                    std::int64_t id = pack(p, tick, shard_in, sequence_in);
                    ASSERT_EQ(id, static_cast<std::int64_t>(id_by_product(layout, tick, shard_in, sequence_in)));
                    ASSERT_GE(id, 0);
                    Parts parts;
                    ASSERT_TRUE(unpack(p, id, parts));
                    ASSERT_EQ(parts.tick, tick);
                    ASSERT_EQ(parts.shard, shard_in);
                    ASSERT_EQ(parts.sequence, sequence_in);
                    ASSERT_LE(lowest_id(p, tick), id);
                    ASSERT_GE(highest_id(p, tick), id);
                }
    }
}

TEST(Packing, BoundsContainTheirTickAndNoOther) {
    for (const Layout &layout : all_layouts()) {
        SCOPED_TRACE(long_text(layout));
        Packing p = packing_of(layout);
        auto last = static_cast<std::int64_t>(p.time_mask);
        EXPECT_EQ(lowest_id(p, 0), 0);
        for (std::int64_t tick : edges(0, last)) {
            Parts low, high;
            ASSERT_TRUE(unpack(p, lowest_id(p, tick), low));
            ASSERT_TRUE(unpack(p, highest_id(p, tick), high));
            EXPECT_EQ(low.tick, tick);
            EXPECT_EQ(high.tick, tick);
            if (tick < last) {
                EXPECT_EQ(highest_id(p, tick) + 1, lowest_id(p, tick + 1));
            }
            if (tick > 0) {
                EXPECT_EQ(highest_id(p, tick - 1) + 1, lowest_id(p, tick));
            }
        }
    }
}

TEST(Packing, StopsBeforeBit63) {
    for (const Layout &layout : all_layouts()) {
        SCOPED_TRACE(long_text(layout));
        Packing p = packing_of(layout);
        if (p.wraps) continue;
        EXPECT_GT(highest_id(p, p.tick_end - 1), 0);
        EXPECT_EQ(check_tick(p, p.tick_end - 1), TickReason::none);
        EXPECT_EQ(check_tick(p, p.tick_end), TickReason::past_end);
        EXPECT_EQ(start_of(p, p.tick_end), end_of_first_turn(layout));
        if (layout.total_bits() >= 63) {
            EXPECT_EQ(highest_id(p, p.tick_end - 1), INT64_MAX);
        }
    }
}

TEST(Packing, LastInstants) {
    for (const Row &row : read_csv("presets.csv")) {
        Packing p = packing_of(row.at("name"));
        EXPECT_TRUE(p.wraps || start_of(p, p.tick_end - 1) == us_of(number(row.at("last_ms")))) << row.at("name");
    }
}

TEST(Packing, UnpackRefusesWhatTheLayoutCannotHaveMade) {
    const struct {
        std::string layout;
        std::int64_t id;
        bool good;
    } cases[] = {
        {"instagram", 0, true},
        {"instagram", -1, false},
        {"instagram", INT64_MIN, false},
        {"instagram", INT64_MAX, true},
        {"mastodon", -1, false},
        {"trace", -1, false},
        {"trace", INT64_MAX, true},
        {"js53", (1LL << 53) - 1, true},
        {"js53", 1LL << 53, false},
        {"js53", INT64_MAX, false},
        {"js53", -1, false},
        {millis + "time=3 shard=2 sequence=2", 127, true},
        {millis + "time=3 shard=2 sequence=2", 128, false},
        {millis + "time=3w sequence=2 shard=2", 127, true},
        {millis + "time=3w sequence=2 shard=2", 128, false},
        {millis + "time=41", (1LL << 41) - 1, true},
        {millis + "time=41", 1LL << 41, false},
        {millis + "time=41", INT64_MIN, false},
    };
    for (const auto &c : cases) {
        Parts parts;
        EXPECT_EQ(unpack(packing_of(c.layout), c.id, parts), c.good) << c.layout << ' ' << c.id;
    }
}

TEST(Packing, TicksOfInstants) {
    const struct {
        std::string layout;
        std::int64_t unix_ms, tick_of, tick_from;
    } cases[] = {
        {millis + "time=41", 0, 0, 0},
        {millis + "time=41", 1, 1, 1},
        {millis + "time=41", 999, 999, 999},
        {tens + "time=39", 0, 0, 0},
        {tens + "time=39", 1, 0, 1},
        {tens + "time=39", 9, 0, 1},
        {tens + "time=39", 10, 1, 1},
        {tens + "time=39", 11, 1, 2},
        {tens + "time=39", 1700000000009, 170000000000, 170000000001},
        {seconds + "time=32", 0, 0, 0},
        {seconds + "time=32", 1, 0, 1},
        {seconds + "time=32", 999, 0, 1},
        {seconds + "time=32", 1000, 1, 1},
        {seconds + "time=32", 1001, 1, 2},
        {"instagram", 1314220021721, 0, 0},
        {"instagram", 1314220021722, 1, 1},
        {"sonyflake", 1409529600000, 0, 0},
        {"sonyflake", 1409529600019, 1, 2},
        {"trace", 1700000000999, 1700000000, 1700000001},
    };
    for (const auto &c : cases) {
        Packing p = packing_of(c.layout);
        EXPECT_EQ(tick_of(p, us_of(c.unix_ms)), c.tick_of) << c.layout << ' ' << c.unix_ms;
        EXPECT_EQ(tick_from(p, us_of(c.unix_ms)), c.tick_from) << c.layout << ' ' << c.unix_ms;
    }
}

TEST(Packing, BeforeTheEpochIsNoTick) {
    for (const Layout &layout : all_layouts()) {
        Packing p = packing_of(layout);
        for (std::int64_t before : {1, 999, 1000, 9000, 10000, 999000, 1000000, 1001000, 2000000000}) {
            EXPECT_LT(tick_of(p, p.epoch_us - before), 0) << long_text(layout) << before;
            EXPECT_EQ(tick_from(p, p.epoch_us - before), 0) << long_text(layout) << before;
        }
        EXPECT_EQ(check_tick(p, -1), TickReason::before_epoch);
        EXPECT_EQ(check_tick(p, 0), TickReason::none);
        EXPECT_EQ(check_tick(p, INT64_MIN), TickReason::before_epoch);
        EXPECT_EQ(check_tick(p, INT64_MAX), TickReason::past_end);
    }
}

TEST(Packing, TickBordersHoldEveryInstant) {
    Random random(5);
    for (const Layout &layout : all_layouts()) {
        Packing p = packing_of(layout);
        std::int64_t end = std::min(start_of(p, p.tick_end), us_of(max_instant_ms));
        for (int i = 0; i < 500; i++) {
            std::int64_t at = random.between(p.epoch_us, end - 1);
            ASSERT_LE(start_of(p, tick_of(p, at)), at);
            ASSERT_GT(start_of(p, tick_of(p, at) + 1), at);
            ASSERT_GE(start_of(p, tick_from(p, at)), at);
            ASSERT_LT(start_of(p, tick_from(p, at) - 1), at);
        }
    }
}

TEST(Packing, FirstSequenceNeverMakesZero) {
    const struct {
        std::string layout;
        std::int64_t tick;
        std::uint32_t shard, first;
    } cases[] = {
        {"instagram", 0, 0, 1},
        {"instagram", 0, 1, 0},
        {"instagram", 1, 0, 0},
        {"sonyflake", 0, 0, 1},
        {"sonyflake", 0, 5, 0},
        {"mastodon", 0, 0, 1},
        {"mastodon", 7, 0, 0},
        {"trace", 0, 0, 1},
        {"trace", 5, 5, 1},
        {"trace", 33554432, 0, 1},
        {millis + "time=3w sequence=4", 0, 0, 1},
        {millis + "time=3w sequence=4", 7, 0, 0},
        {millis + "time=3w sequence=4", 8, 0, 1},
        {millis + "time=3w sequence=4", 9, 0, 0},
        {millis + "time=41", 0, 0, 1},  // past sequence_last: the tick has no ID
        {millis + "time=41", 1, 0, 0},
    };
    for (const auto &c : cases)
        EXPECT_EQ(first_sequence(packing_of(c.layout), c.tick, c.shard), c.first) << c.layout << c.tick;
}

TEST(Packing, StartNearestPicksTheTurn) {
    constexpr std::int64_t turn = 33554432000;  // of trace, ms
    constexpr std::int64_t half = turn / 2;
    const struct {
        const char *what;
        std::string layout;
        std::int64_t tick, near_ms, start_ms;
    } cases[] = {
        {"at the start", "trace", 100, 100000, 100000},
        {"within the first turn", "trace", 100, 5000000, 100000},
        {"before its tick", "trace", 100, 0, 100000},
        {"before the epoch", "trace", 100, -1, 100000},
        {"long before the epoch", "trace", 100, -100 * turn, 100000},
        {"the earliest near", "trace", 100, INT64_MIN, 100000},
        {"a little less than half a turn on", "trace", 100, 100000 + half - 1, 100000},
        {"a tie goes to the earlier", "trace", 100, 100000 + half, 100000},
        {"a little more than half a turn on", "trace", 100, 100000 + half + 1, 100000 + turn},
        {"the second turn", "trace", 100, 100000 + turn, 100000 + turn},
        {"just before the second turn", "trace", 100, 99999 + turn, 100000 + turn},
        {"a tie in the second turn", "trace", 100, 100000 + turn + half, 100000 + turn},
        {"past a tie in the second turn", "trace", 100, 100001 + turn + half, 100000 + 2 * turn},
        {"turn 50", "trace", 100, 100000 + 50 * turn + half - 1, 100000 + 50 * turn},
        {"turn 51", "trace", 100, 100000 + 50 * turn + half + 1, 100000 + 51 * turn},
        {"the last tick, near the next turn", "trace", 33554431, turn, turn - 1000},
        {"tick 0, near the end of a turn", "trace", 0, turn - 1, turn},
        {"tick 0, near 0", "trace", 0, 0, 0},
        {"no turn that the calendar lacks", "trace", 10000000, calendar_end_ms - 1, 10000000000 + 274905 * turn},
        {"no wrap: far later", "instagram", 100, 1900000000000, 1314220021821},
        {"no wrap: far earlier", "instagram", 100, 0, 1314220021821},
        {"turns of 8 ms, tie", millis + "time=3w sequence=4", 2, 2 + 16 + 4, 18},
        {"turns of 8 ms, past a tie", millis + "time=3w sequence=4", 2, 2 + 16 + 5, 26},
    };
    for (const auto &c : cases)
        EXPECT_EQ(start_nearest(packing_of(c.layout), c.tick, us_of(c.near_ms)), us_of(c.start_ms)) << c.what;
    EXPECT_EQ(start_nearest(packing_of("trace"), 100, INT64_MIN), us_of(100000));
}

TEST(Packing, StartNearestIsTheNearestOfAllTurns) {
    Packing p = packing_of("epoch=1969-12-31T23:59:59Z unit=10ms time=4w shard=3");
    for (std::int64_t tick = 0; tick < 16; tick++)
        for (std::int64_t near_ms = -1500; near_ms < 1500; near_ms++) {
            std::int64_t near = us_of(near_ms);
            std::int64_t best = start_of(p, tick);
            for (std::int64_t turn = 1; turn < 30; turn++) {
                std::int64_t start = start_of(p, tick + turn * 16);
                if (std::abs(start - near) < std::abs(best - near)) best = start;
            }
            ASSERT_EQ(start_nearest(p, tick, near), best) << tick << " near " << near;
        }
}

TEST(Packing, KeysAreEqualWhereIdsCanBe) {
    const struct {
        const char *what;
        std::string a, b;
        bool equal;
    } cases[] = {
        {"itself", "instagram", "instagram", true},
        {"region folded into shard", millis + "time=41 region=5 shard=5 sequence=12",
         millis + "time=41 shard=10 sequence=12", true},
        {"another border", millis + "time=41 region=5 shard=5 sequence=12",
         millis + "time=41 region=3 shard=7 sequence=12", true},
        {"region folded below the sequence", millis + "time=41 sequence=12 region=5 shard=5",
         millis + "time=41 sequence=12 shard=10", true},
        {"another width of time", millis + "time=41 shard=10 sequence=12", millis + "time=40 shard=10 sequence=12",
         true},
        {"wrapping", seconds + "time=25 shard=16 sequence=22", seconds + "time=25w shard=16 sequence=22", true},
        {"+1", seconds + "time=25 shard=16 sequence=22", seconds + "time=25 shard=16 sequence=22+1", true},
        {"1s and 1000ms", seconds + "time=25", "epoch=1970-01-01 unit=1000ms time=25", true},
        {"another epoch", millis + "time=41 shard=10 sequence=12",
         "epoch=1970-01-02 unit=1ms time=41 shard=10 sequence=12", false},
        {"another unit", millis + "time=39 shard=10 sequence=12", tens + "time=39 shard=10 sequence=12", false},
        {"another shard width", millis + "time=41 shard=10 sequence=12", millis + "time=41 shard=9 sequence=12", false},
        {"another sequence width", millis + "time=41 shard=10 sequence=12", millis + "time=41 shard=10 sequence=11",
         false},
        {"the same sum", millis + "time=41 shard=10 sequence=12", millis + "time=41 shard=12 sequence=10", false},
        {"another order", millis + "time=41 shard=10 sequence=10", millis + "time=41 sequence=10 shard=10", false},
        {"shard or sequence alone", millis + "time=41 shard=10", millis + "time=41 sequence=10", false},
    };
    for (const auto &c : cases) {
        PackingKey a = key_of(layout_of(c.a)), b = key_of(layout_of(c.b));
        EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)) == 0, c.equal) << c.what;
    }
}

TEST(Packing, WholeShard) {
    const std::string own = millis + "time=41 shard=10 sequence=12";
    const std::string none = millis + "time=41 sequence=12";
    const std::string widest = millis + "time=30 region=15 shard=16";
    const struct {
        std::string layout;
        std::uint32_t region;
        std::int64_t number;
        NodeReason reason;
        std::uint32_t whole;
    } cases[] = {
        {"twitter", 3, 10, NodeReason::none, 106},
        {"twitter", 3, 106, NodeReason::none, 106},
        {"twitter", 3, 0, NodeReason::none, 96},
        {"twitter", 3, 31, NodeReason::none, 127},
        {"twitter", 3, 96, NodeReason::none, 96},
        {"twitter", 3, 127, NodeReason::none, 127},
        {"twitter", 3, 32, NodeReason::shard_not_in_region, 0},
        {"twitter", 3, 95, NodeReason::shard_not_in_region, 0},
        {"twitter", 3, 128, NodeReason::shard_not_in_region, 0},
        {"twitter", 2, 106, NodeReason::shard_not_in_region, 0},
        {"twitter", 0, 106, NodeReason::none, 106},
        {"twitter", 0, 10, NodeReason::none, 10},
        {"twitter", 0, 0, NodeReason::none, 0},
        {"twitter", 0, 1023, NodeReason::none, 1023},
        {"twitter", 31, 31, NodeReason::none, 1023},
        {"twitter", 31, 1023, NodeReason::none, 1023},
        {"twitter", 31, 1024, NodeReason::shard_out_of_range, 0},
        {"twitter", 0, 1024, NodeReason::shard_out_of_range, 0},
        {"twitter", 0, -1, NodeReason::shard_out_of_range, 0},
        {"twitter", 3, -1, NodeReason::shard_out_of_range, 0},
        {"twitter", 0, INT64_MIN, NodeReason::shard_out_of_range, 0},
        {"twitter", 0, INT64_MAX, NodeReason::shard_out_of_range, 0},
        {"twitter", 3, (1LL << 32) + 10, NodeReason::shard_out_of_range, 0},
        {"twitter", 32, 10, NodeReason::region_out_of_range, 0},
        {"twitter", 0xFFFFFFFF, 10, NodeReason::region_out_of_range, 0},
        {own, 0, 10, NodeReason::none, 10},
        {own, 0, 1023, NodeReason::none, 1023},
        {own, 0, 1024, NodeReason::shard_out_of_range, 0},
        {own, 3, 10, NodeReason::region_not_in_layout, 0},
        {own, 3, 5000, NodeReason::region_not_in_layout, 0},
        {none, 0, 0, NodeReason::none, 0},
        {none, 0, 1, NodeReason::shard_out_of_range, 0},
        {none, 1, 0, NodeReason::region_not_in_layout, 0},
        {widest, 32767, 65535, NodeReason::none, 0x7FFFFFFF},
        {widest, 32767, 0x7FFFFFFF, NodeReason::none, 0x7FFFFFFF},
        {widest, 0, 0x80000000, NodeReason::shard_out_of_range, 0},
        {"instagram", 0, 8191, NodeReason::none, 8191},
        {"instagram", 0, 8192, NodeReason::shard_out_of_range, 0},
    };
    for (const auto &c : cases) {
        std::uint32_t whole = 0;
        NodeReason reason = whole_shard(layout_of(c.layout), c.region, c.number, whole);
        EXPECT_EQ(reason, c.reason) << c.layout << ' ' << c.region << ' ' << c.number;
        if (reason == NodeReason::none) {
            EXPECT_EQ(whole, c.whole) << c.layout << c.region << ' ' << c.number;
        }
    }
}

TEST(Packing, CheckParts) {
    using R = PartReason;
    const std::string bare = millis + "time=3";
    const struct {
        std::string layout;
        std::int64_t tick, shard, sequence;
        PartReason reason;
    } cases[] = {
        {"instagram", 5, 8191, 1023, R::none},
        {"instagram", (1LL << 40) - 1, 0, 0, R::none},
        {"instagram", 5, -1, 0, R::shard_out_of_range},
        {"instagram", 5, 8192, 0, R::shard_out_of_range},
        {"instagram", 5, 1LL << 32, 0, R::shard_out_of_range},
        {"instagram", 5, 0, -1, R::sequence_out_of_range},
        {"instagram", 5, 0, 1024, R::sequence_out_of_range},
        {"instagram", 5, 0, 1LL << 32, R::sequence_out_of_range},
        {"instagram", 0, 0, 0, R::id_would_be_zero},
        {"instagram", 0, 0, 1, R::none},
        {"instagram", 0, 1, 0, R::none},
        {"instagram", 1, 0, 0, R::none},
        {"trace", 0, 0, 0, R::sequence_out_of_range},
        {"trace", 0, 0, 1, R::none},
        {"trace", 0, 0, 4194303, R::none},
        {"trace", 0, 0, 4194304, R::sequence_out_of_range},
        {"trace", 1LL << 25, 0, 1, R::none},
        {"trace", calendar_end_ms / 1000 - 1, 0, 1, R::none},
        {"mastodon", 5, 0, 65535, R::none},
        {"mastodon", 5, 1, 0, R::shard_out_of_range},
        {bare, 5, 0, 0, R::none},
        {bare, 0, 0, 0, R::id_would_be_zero},
        {bare, 5, 0, 1, R::sequence_out_of_range},
        {millis + "time=3w sequence=4", 8, 0, 0, R::id_would_be_zero},
        {millis + "time=3w sequence=4", 9, 0, 0, R::none},
    };
    for (const auto &c : cases)
        EXPECT_EQ(check_parts(packing_of(c.layout), c.tick, c.shard, c.sequence), c.reason)
            << c.layout << ' ' << c.tick << ' ' << c.shard << ' ' << c.sequence;
}

TEST(Packing, TraceWraps) {
    Packing p = packing_of("trace");
    constexpr std::int64_t turn = 1 << 25;
    EXPECT_EQ(lowest_id(p, turn), 0);
    EXPECT_EQ(highest_id(p, turn - 1), INT64_MAX);
    for (std::int64_t tick : {std::int64_t{0}, std::int64_t{1}, turn - 1})
        for (std::int64_t k : {1, 2, 50, 200}) EXPECT_EQ(pack(p, tick + k * turn, 7, 9), pack(p, tick, 7, 9));
}

TEST(Packing, KeyAndFormAreTheLayout) {
    for (int i = 0; i < preset_count; i++) {
        const Layout &layout = preset(i).layout;
        EXPECT_TRUE(layout_of(key_of(layout), form_of(layout)) == layout) << preset(i).name;
    }
}

}  // namespace
}  // namespace idgen
