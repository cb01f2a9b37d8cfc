#include "core/draw/draw_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/slot/slot.hpp"
#include "support.hpp"

namespace idgen {
namespace {

// The ranks that a session visits in one tick when every shard is full.
std::vector<std::uint32_t> visit_all(PoolCursor &cursor) {
    cursor.begin_tick();
    std::vector<std::uint32_t> ranks{cursor.rank()};
    while (cursor.next_shard()) ranks.push_back(cursor.rank());
    return ranks;
}

std::uint32_t home_of(std::uint32_t session, std::uint32_t count) {
    PoolCursor cursor;
    cursor.aim(session, count);
    return cursor.rank();
}

constexpr std::uint32_t pool_sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 33, 1000};

TEST(PoolCursor, SessionsStartOnDifferentShards) {
    for (std::uint32_t count : pool_sizes) {
        std::set<std::uint32_t> homes;
        for (std::uint32_t session = 0; session < count; session++) {
            PoolCursor cursor;
            cursor.aim(session, count);
            cursor.begin_tick();
            homes.insert(cursor.rank());
        }
        EXPECT_EQ(homes.size(), count);
    }
}

TEST(PoolCursor, SessionNumbersGoRoundThePool) {
    for (std::uint32_t count : pool_sizes) {
        for (std::uint32_t session = 0; session < count; session += 1 + count / 40)
            EXPECT_EQ(home_of(session + count, count), home_of(session, count));
        EXPECT_EQ(home_of(0xFFFFFFFF, count), home_of(0xFFFFFFFF % count, count));
    }
}

// So that the shards that one fills in a tick are not those of the next one.
TEST(PoolCursor, SessionsThatFollowEachOtherStartFarApart) {
    for (std::uint32_t count : {8u, 16u, 33u, 256u, 1000u, 8192u})
        for (std::uint32_t session = 0; session < 20; session++) {
            std::uint32_t up = (home_of(session + 1, count) + count - home_of(session, count)) % count;
            EXPECT_GE(std::min(up, count - up), count / 4) << session << " of " << count;
        }
}

TEST(PoolCursor, MovesUpwardByOneWithinATick) {
    for (std::uint32_t count : pool_sizes)
        for (std::uint32_t session = 0; session < count; session += 1 + count / 40) {
            PoolCursor cursor;
            cursor.aim(session, count);
            for (int tick = 0; tick < 14; tick++) {
                std::vector<std::uint32_t> ranks = visit_all(cursor);
                for (std::size_t i = 1; i < ranks.size(); i++) ASSERT_EQ(ranks[i], ranks[i - 1] + 1);
                ASSERT_EQ(ranks.back(), count - 1);
                ASSERT_EQ(cursor.rank(), count - 1) << "the top stays until the next tick";
            }
        }
}

TEST(PoolCursor, AGreedySessionSoonUsesTheWholePool) {
    for (std::uint32_t count : pool_sizes)
        for (std::uint32_t session = 0; session < count; session += 1 + count / 40) {
            PoolCursor cursor;
            cursor.aim(session, count);
            int ticks = 1;
            while (visit_all(cursor).size() < count) ASSERT_LE(++ticks, 11) << session << " of " << count;
            for (int tick = 0; tick < 5; tick++) ASSERT_EQ(visit_all(cursor).size(), count);
        }
}

TEST(PoolCursor, AModestSessionGoesHome) {
    for (std::uint32_t count : pool_sizes)
        for (std::uint32_t session = 0; session < count; session += 1 + count / 40) {
            std::uint32_t home = home_of(session, count);
            PoolCursor cursor;
            cursor.aim(session, count);
            for (int tick = 0; tick < 12; tick++) visit_all(cursor);
            cursor.begin_tick();  // it needs one shard from here on
            cursor.begin_tick();
            ASSERT_EQ(cursor.rank(), home);
            for (int tick = 0; tick < 5; tick++) {
                cursor.begin_tick();
                ASSERT_EQ(cursor.rank(), home);
            }
        }
}

TEST(PoolCursor, AModestSessionStaysHome) {
    PoolCursor cursor;
    cursor.aim(11, 16);
    for (int tick = 0; tick < 5; tick++) {
        cursor.begin_tick();
        EXPECT_EQ(cursor.rank(), home_of(11, 16));
    }
}

TEST(PoolCursor, ASessionThatNeedsTwoShardsStaysAtHome) {
    PoolCursor cursor;
    cursor.aim(5, 16);
    for (int tick = 0; tick < 5; tick++) {
        cursor.begin_tick();
        EXPECT_EQ(cursor.rank(), home_of(5, 16));
        EXPECT_TRUE(cursor.next_shard());
        EXPECT_EQ(cursor.rank(), home_of(5, 16) + 1);
    }
}

TEST(PoolCursor, APoolOfOneHasNowhereToGo) {
    PoolCursor cursor;
    cursor.aim(7, 1);
    for (int tick = 0; tick < 5; tick++) {
        cursor.begin_tick();
        EXPECT_EQ(cursor.rank(), 0u);
        EXPECT_FALSE(cursor.next_shard());
        EXPECT_EQ(cursor.rank(), 0u);
    }
}

TEST(PoolCursor, AnotherPoolSizeStartsOverAtItsHome) {
    PoolCursor cursor;
    cursor.aim(13, 16);
    visit_all(cursor);
    cursor.aim(13, 16);
    EXPECT_EQ(cursor.rank(), 15u) << "the same size changes nothing";
    for (std::uint32_t count : {8u, 16u}) {
        cursor.aim(13, count);
        EXPECT_EQ(cursor.rank(), home_of(13, count));
        EXPECT_EQ(visit_all(cursor).size(), count - home_of(13, count));
    }
}

// One session that always asks for more: its IDs rise, and soon each tick gives the whole pool.
TEST(PoolCursor, DrawsAllIdsOfAPool) {
    constexpr std::uint32_t pool = 16;
    constexpr std::int64_t begin = 1700000000000, ticks = 12;
    for (const char *layout :
         {"epoch=2020-01-01 unit=1ms time=41 shard=4 sequence=2",
          "epoch=2020-01-01 unit=1ms time=41 shard=4 sequence=2+1", "epoch=2020-01-01 unit=1ms time=41 shard=4"}) {
        SCOPED_TRACE(layout);
        Packing p = packing_of(layout);
        std::vector<Slot> slots(pool, new_slot(p, begin));
        PoolCursor cursor;
        cursor.aim(13, pool);
        DrawHistory last;
        std::int64_t last_id = 0;
        for (std::int64_t now = begin; now < begin + ticks; now++) {
            Limits limits{us_of(now), begin, INT64_MAX / 2, 0, false};
            Tick base = base_tick(p, limits);
            std::uint32_t ids = 0;
            cursor.begin_tick();
            do {
                std::uint32_t shard = cursor.rank();
                for (;;) {
                    Take taken = take(slots[shard], p, limits, base, shard, lowest_above(p, last, shard), 1);
                    if (taken.status != Take::Status::ok) {
                        ASSERT_EQ(taken.status, Take::Status::full);
                        break;
                    }
                    ASSERT_EQ(taken.tick, base.number);
                    std::int64_t id = pack(p, taken.tick, shard, taken.sequence);
                    ASSERT_GT(id, last_id);
                    last_id = id;
                    last = {taken.tick, shard, taken.sequence};
                    ids++;
                }
            } while (cursor.next_shard());
            if (now - begin >= 4) {
                ASSERT_EQ(ids, pool * (p.sequence_last - p.sequence_first + 1));
            }
        }
    }
}

}  // namespace
}  // namespace idgen
