#include "core/issue/placement.hpp"

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

}  // namespace
}  // namespace idgen
