#include "core/slot/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

const std::string tiny = "epoch=1970-01-01 unit=1ms time=20 ";

// The smallest ID of the shard in the tick or after it, above the last one and not taken: by trying each.
std::int64_t place_by_trying(const Packing &p, std::uint32_t shard, std::int64_t above, std::int64_t tick,
                             const std::set<std::int64_t> &taken) {
    for (std::int64_t t = tick;; t++)
        for (std::uint32_t s = p.sequence_first; s <= p.sequence_last; s++) {
            std::int64_t id = pack(p, t, shard, s);
            if (id > above && id > 0 && taken.count(id) == 0) return id;
        }
}

TEST(Placement, EqualsTryingEach) {
    std::mt19937_64 random(7);
    for (const std::string fields :
         {"shard=3 sequence=2", "sequence=2 shard=3", "sequence=3+1 shard=2", "sequence=4", "shard=5"}) {
        Packing p = packing_of(layout_of(tiny + fields));
        for (int round = 0; round < 200; round++) {
            auto shard = static_cast<std::uint32_t>(random() % (std::uint64_t{p.shard_last} + 1));
            std::set<std::int64_t> taken;
            for (int i = 0; i < 40; i++)
                taken.insert(pack(p, static_cast<std::int64_t>(random() % 12), shard,
                                  p.sequence_first +
                                      static_cast<std::uint32_t>(random() % (p.sequence_last - p.sequence_first + 1))));
            std::vector<std::int64_t> list(taken.begin(), taken.end());
            std::vector<std::int64_t> ticks;
            for (int i = 0; i < 40; i++) ticks.push_back(static_cast<std::int64_t>(random() % 12));
            std::sort(ticks.begin(), ticks.end());
            std::int64_t above = round % 2 == 0 ? 0 : pack(p, 3, shard, p.sequence_last);
            Placement placement{shard, above, list.data(), static_cast<std::int64_t>(list.size())};
            for (std::int64_t tick : ticks) {
                above = place_by_trying(p, shard, above, tick, taken);
                ASSERT_EQ(place(p, placement, tick), TickReason::none);
                ASSERT_EQ(placement.above, above) << fields << " tick " << tick;
            }
        }
    }
}

TEST(Placement, EndsWithTheLayout) {
    Packing p = packing_of(layout_of("epoch=1970-01-01 unit=1ms time=4 shard=1 sequence=1"));
    Placement placement{1, 0, nullptr, 0};
    EXPECT_EQ(place(p, placement, 15), TickReason::none);
    EXPECT_EQ(place(p, placement, 15), TickReason::none);
    std::int64_t last = placement.above;
    EXPECT_EQ(place(p, placement, 15), TickReason::past_end);
    EXPECT_EQ(placement.above, last);
}

TEST(Placement, NeverGivesZero) {
    Packing p = packing_of(layout_of(tiny + "shard=1 sequence=2"));
    Placement placement{0, 0, nullptr, 0};
    ASSERT_EQ(place(p, placement, 0), TickReason::none);
    EXPECT_EQ(placement.above, 1);
    Packing bare = packing_of(layout_of(tiny));
    Placement first{0, 0, nullptr, 0};
    ASSERT_EQ(place(bare, first, 0), TickReason::none);
    EXPECT_EQ(first.above, 1);
}

using Status = Take::Status;

const char *const shapes[] = {
    "epoch=1970-01-01 unit=1ms time=40 shard=4 sequence=2",   "epoch=1970-01-01 unit=1ms time=40 sequence=2 shard=4",
    "epoch=1970-01-01 unit=1ms time=40 shard=4 sequence=2+1", "epoch=1970-01-01 unit=10ms time=40 shard=4",
    "epoch=1970-01-01 unit=1ms time=40 sequence=3",           "epoch=1970-01-01 unit=1ms time=40"};

// Takes from the slot of a shard, above an ID that was observed, on a clock that is behind it: admitted only as a hold.
Take take_above(const Packing &p, const DrawHistory &observed, std::uint32_t shard, std::uint32_t largest_shard) {
    Slot slot = new_slot(p, 0);
    Limits limits{us_of(5000), 0, INT64_MAX / 2, 1000, false};
    Position above = lowest_above(p, drawn_beyond(p, observed, largest_shard), shard);
    return take(slot, p, limits, base_tick(p, limits), shard, above, 1);
}

TEST(ObservedId, TheNextIdIsLargerAndHeld) {
    Random random(7);
    for (const char *text : shapes) {
        Packing p = packing_of(text);
        for (int i = 0; i < 5000; i++) {
            std::uint32_t shard = random.below(p.shard_last + 1);
            DrawHistory observed{tick_of(p, us_of(5000 + random.between(-500, 500))), random.below(p.shard_last + 1),
                                 0};
            observed.sequence = static_cast<std::uint32_t>(random.between(p.sequence_first, p.sequence_last));
            Take taken = take_above(p, observed, shard, shard);
            ASSERT_EQ(taken.status, Status::ok) << text << ' ' << observed.tick << ' ' << shard;
            std::int64_t observed_id = pack(p, observed.tick, observed.shard, observed.sequence);
            std::int64_t id = pack(p, taken.tick, shard, taken.sequence);
            ASSERT_GT(id, observed_id) << text;
            if (observed.tick < tick_of(p, us_of(5000))) continue;
            bool is_in_tick = pack(p, observed.tick, shard, p.sequence_last) > observed_id;
            ASSERT_EQ(taken.tick, observed.tick + (is_in_tick ? 0 : 1)) << text << ": no later than needed";
        }
    }
}

TEST(ObservedId, APoolUsesWhatIsLeftOfTheTick) {
    Packing p = packing_of(shapes[0]);
    DrawHistory observed{5200, 7, 3};
    EXPECT_EQ(take_above(p, observed, 8, 8).tick, 5200);
    EXPECT_EQ(take_above(p, observed, 5, 8).status, Status::full) << "shard 8 has larger ones: move up";
    EXPECT_EQ(take_above(p, observed, 5, 7).tick, 5201);
    EXPECT_EQ(take_above(p, observed, 5, 7).sequence, 0u);
    EXPECT_EQ(take_above(p, observed, 0, 7).sequence, 0u);
}

TEST(ObservedId, OnlyWhatTheLayoutCanHaveMade) {
    constexpr struct {
        const char *layout;
        std::int64_t id;
        bool is_made;
    } cases[] = {
        {"instagram", 0, false},
        {"instagram", 1, true},
        {"instagram", -1, false},
        {"instagram", INT64_MAX, true},
        {"js53", INT64_MAX, false},
        {"js53", (std::int64_t{1} << 53) - 1, true},
        {"js53", std::int64_t{1} << 53, false},
        {"trace", std::int64_t{5} << 38, false},
        {"trace", (std::int64_t{5} << 38) + 1, true},
    };
    for (const auto &c : cases) {
        DrawHistory observed;
        EXPECT_EQ(position_of(packing_of(c.layout), c.id, us_of(1795263764000), observed), c.is_made)
            << c.layout << ' ' << c.id;
    }
}

TEST(ObservedId, WhereTimeWrapsTheTurnIsTheNearest) {
    Packing p = packing_of("trace");
    constexpr std::int64_t turn = 1 << 25;
    for (std::int64_t tick : {53 * turn + 5, 54 * turn - 5, 54 * turn, 54 * turn + 5}) {
        DrawHistory observed;
        ASSERT_TRUE(position_of(p, pack(p, tick, 9, 4), start_of(p, 54 * turn), observed));
        EXPECT_EQ(observed.tick, tick < 53 * turn + 6 ? 54 * turn + 5 : tick);
        EXPECT_EQ(observed.shard, 9u);
        EXPECT_EQ(observed.sequence, 4u);
    }
}

TEST(ObservedId, LaterOf) {
    Packing above = packing_of(shapes[0]), below = packing_of(shapes[1]);
    DrawHistory low{7, 3, 2}, high{7, 5, 1}, next{8, 0, 0};
    EXPECT_EQ(later_of(above, low, high).shard, 5u);
    EXPECT_EQ(later_of(above, high, low).shard, 5u);
    EXPECT_EQ(later_of(below, low, high).shard, 3u) << "the sequence lies above the shard";
    EXPECT_EQ(later_of(above, high, next).tick, 8);
    EXPECT_EQ(later_of(above, low, drawn_beyond(above, low, 3)).borrowed_tick, -1) << "its own last one";
    EXPECT_EQ(later_of(above, low, drawn_beyond(above, high, 5)).borrowed_tick, 7);
    EXPECT_EQ(later_of(above, DrawHistory{}, low).tick, 7);
    for (const Packing &p : {above, below}) {
        DrawHistory beginning = drawn_beyond(p, {6, 9, 3}, 5);
        ASSERT_EQ(beginning.tick, 7);
        EXPECT_EQ(later_of(p, low, beginning).sequence, 2u) << "what was drawn in a tick is after its beginning";
        EXPECT_EQ(later_of(p, beginning, low).sequence, 2u);
    }
}

}  // namespace
}  // namespace idgen
