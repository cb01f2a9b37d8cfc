#include "core/slot/directory.hpp"

#include <gtest/gtest.h>

#include "shared_memory.hpp"

namespace idgen {
namespace {

// A tick of 10 ms since 1970.
constexpr Layout layout{0, 10, 41, 0, 4, 4, 0, 0};

SlotRequest request_of(std::uint32_t database, std::uint32_t shard, std::int64_t now_ms = 5000) {
    return {{key_of(layout), database, shard}, layout, SlotUse::own, 8, now_ms, 100};
}

// A directory of four slots, with room for five databases, and two databases in it.
class DirectoryTest : public testing::Test {
   protected:
    SharedMemory memory{4, 5};
    TestDirectory &directory = memory.directory;
    TestDatabase &first = *directory.enter(11, 1, false);
    TestDatabase &second = *directory.enter(12, 1, false);
    Shortage shortage = Shortage::none;

    SlotReference<NoLock> obtain(TestDatabase &database, std::uint32_t shard, std::int64_t now_ms = 5000) {
        return directory.obtain(database, request_of(database.database, shard, now_ms), shortage);
    }
};

TEST_F(DirectoryTest, ASlotIsGivenOnceAndFound) {
    EXPECT_EQ(directory.find(request_of(11, 3).key).entry, nullptr);
    auto given = obtain(first, 3);
    ASSERT_NE(given.entry, nullptr);
    EXPECT_EQ(obtain(first, 3).entry, given.entry);
    EXPECT_EQ(directory.find(request_of(11, 3).key).entry, given.entry);
    EXPECT_NE(obtain(second, 3).entry, given.entry) << "another database's";
    EXPECT_EQ(first.slots.all, 1u);
    EXPECT_EQ(memory.state.slots.all, 2u);
}

TEST_F(DirectoryTest, ANewSlotBeginsAtTheFloorNotAtTheClock) {
    first.horizon.floor_ms = 8001;
    auto given = obtain(first, 3);
    EXPECT_EQ(given.entry->slot.tick, 800);
    EXPECT_EQ(given.entry->slot.sequence, no_sequence);
    EXPECT_EQ(end_of(*given.entry), 8010);
}

// A layout of the same packing goes on there, and a session that read an older floor must draw above it.
TEST_F(DirectoryTest, ANewSlotBeginsAtTheFloorAlsoForALayoutThatHasEnded) {
    SlotRequest request = request_of(11, 3);
    request.layout.time_bits = 1;
    first.horizon.floor_ms = 8001;
    EXPECT_EQ(directory.obtain(first, request, shortage).entry->slot.tick, 800);
}

TEST_F(DirectoryTest, AnIdleSlotIsTakenBackAndRaisesItsDatabasesFloor) {
    for (std::uint32_t shard = 0; shard < 4; shard++) obtain(first, shard, 5000);
    auto old = directory.find(request_of(11, 2).key);
    old.entry->slot.tick = 490;
    for (std::uint32_t shard : {0U, 1U, 3U}) directory.find(request_of(11, shard).key).entry->slot.tick = 520;
    EXPECT_EQ(obtain(second, 0, 5099).entry, nullptr) << "all were just given out";
    EXPECT_EQ(shortage, Shortage::server);
    auto given = obtain(second, 0, 5200);
    EXPECT_EQ(given.entry, old.entry);
    EXPECT_FALSE(is_current(old)) << "references end";
    EXPECT_TRUE(is_current(given));
    EXPECT_EQ(first.horizon.floor_ms, 4910) << "above its last tick";
    EXPECT_EQ(second.horizon.floor_ms, 0);
    EXPECT_EQ(first.slots.all, 3u);
    EXPECT_EQ(second.slots.all, 1u);
    EXPECT_EQ(directory.find(request_of(11, 2).key).entry, nullptr);
}

TEST_F(DirectoryTest, ASlotAheadOfTheClockIsNotIdle) {
    for (std::uint32_t shard = 0; shard < 4; shard++) obtain(first, shard, 5000).entry->slot.tick = 520;
    EXPECT_EQ(obtain(first, 4, 5309).entry, nullptr) << "the last tick ends at 5210";
    EXPECT_NE(obtain(first, 4, 5310).entry, nullptr);
}

TEST_F(DirectoryTest, ASlotGivenByAClockThatWasAheadCountsAsOld) {
    for (std::uint32_t shard = 0; shard < 4; shard++) obtain(first, shard, 90000).entry->slot.tick = 100;
    EXPECT_NE(obtain(first, 4, 5000).entry, nullptr);
}

TEST_F(DirectoryTest, ADatabaseTakesItsOwnSlotsBackAtTheEndOfItsShare) {
    SlotRequest request = request_of(11, 0);
    request.share = 2;
    for (request.key.shard = 0; request.key.shard < 2; request.key.shard++)
        directory.obtain(first, request, shortage).entry->slot.tick = 100;
    obtain(second, 7).entry->slot.tick = 100;
    request.now_ms = 9000;
    EXPECT_NE(directory.obtain(first, request, shortage).entry, nullptr);
    EXPECT_EQ(first.slots.all, 2u);
    EXPECT_NE(directory.find(request_of(12, 7).key).entry, nullptr);
    request.idle_ms = 100000;
    request.key.shard = 5;
    EXPECT_EQ(directory.obtain(first, request, shortage).entry, nullptr);
    EXPECT_EQ(shortage, Shortage::share);
}

TEST_F(DirectoryTest, SlotsMoveUpAndDownOnlyWhereTheyMay) {
    auto low = obtain(first, 1), high = obtain(first, 2), others = obtain(second, 1);
    low.entry->slot.tick = 499;
    low.entry->slot.ids = 7;
    high.entry->slot.tick = 700;
    directory.raise_slots(first, 5000);
    EXPECT_EQ(low.entry->slot.tick, 499);
    EXPECT_EQ(low.entry->slot.sequence, no_sequence) << "nothing is left of the tick before";
    EXPECT_EQ(low.entry->slot.ids, 7u) << "its counts stay";
    EXPECT_EQ(high.entry->slot.tick, 700);
    EXPECT_EQ(others.entry->slot.tick, -1);
    directory.lower_slots(first, 5000, true, [](std::uint32_t) { return std::int64_t{0}; });
    EXPECT_EQ(high.entry->slot.tick, 499);
}

TEST_F(DirectoryTest, ADatabaseKnowsHowFarItsIdsReachWhereverItsSlotsStand) {
    auto slot = obtain(first, 1);
    EXPECT_EQ(directory.made_ms(first), 0) << "a new slot has made nothing";
    slot.entry->slot.tick = 499;
    slot.entry->slot.sequence = 3;
    std::int64_t made_ms = directory.made_ms(first);
    EXPECT_GT(made_ms, 0);
    directory.raise_slots(first, 500000);
    EXPECT_EQ(directory.made_ms(first), made_ms) << "moved up";
    directory.lower_slots(first, 8000, false, [](std::uint32_t) { return std::int64_t{0}; });
    EXPECT_EQ(directory.made_ms(first), made_ms) << "and down";
    directory.enter(11, 2, false);
    EXPECT_EQ(directory.made_ms(first), made_ms) << "its row in the catalog was written again";
}

TEST_F(DirectoryTest, ANumberThatIsTakenMovesItsSlotsInAllDatabases) {
    auto low = obtain(first, 1), high = obtain(first, 2), others = obtain(second, 1);
    directory.move_number(1, 5000);
    EXPECT_EQ(low.entry->slot.tick, 499);
    EXPECT_EQ(others.entry->slot.tick, 499);
    EXPECT_EQ(high.entry->slot.tick, -1) << "another number";
    directory.move_number(1, 4000);
    EXPECT_EQ(low.entry->slot.tick, 499) << "never down";
    SlotRequest request = request_of(11, 0);
    request.layout.shard_bits = 0;
    request.key.packing = key_of(request.layout);
    auto shardless = directory.obtain(first, request, shortage);
    directory.move_number(0, 5000);
    EXPECT_EQ(shardless.entry->slot.tick, -1) << "it has no number";
}

TEST_F(DirectoryTest, ANewSlotBeginsWhereItsNumberWasTaken) {
    first.horizon.floor_ms = 8001;
    SlotRequest request = request_of(11, 3);
    request.claimed_ms = 9000;
    EXPECT_EQ(directory.obtain(first, request, shortage).entry->slot.tick, 899);
    request.key.shard = 4;
    request.claimed_ms = 7000;
    EXPECT_EQ(directory.obtain(first, request, shortage).entry->slot.tick, 800);
}

TEST_F(DirectoryTest, ReachedIsTheHighestOfFloorAndSlots) {
    first.horizon.floor_ms = 3000;
    EXPECT_EQ(directory.reached_ms(first), 3000);
    obtain(first, 1).entry->slot.tick = 499;
    obtain(second, 1).entry->slot.tick = 900;
    EXPECT_EQ(directory.reached_ms(first), 5000);
    EXPECT_EQ(directory.reached_ms(), 9010);
}

TEST_F(DirectoryTest, ReachedOfAllCountsDatabasesThatAreGone) {
    obtain(first, 1).entry->slot.tick = 499;
    obtain(second, 1).entry->slot.tick = 900;
    directory.drop(second);
    EXPECT_EQ(directory.reached_ms(), 9010);
}

TEST_F(DirectoryTest, ADatabaseWhoseRowChangedIsBegunAnewAboveTheOldOne) {
    auto slot = obtain(first, 1);
    slot.entry->slot.tick = 499;
    first.horizon.granted_ms = 9000;
    first.resets = 3;
    EXPECT_EQ(directory.enter(11, 1, false), &first) << "the same row";
    EXPECT_EQ(first.horizon.granted_ms, 9000);
    EXPECT_EQ(directory.enter(11, 2, true), &first) << "sessions have it: it is the same database";
    EXPECT_EQ(first.horizon.granted_ms, 9000);
    EXPECT_EQ(directory.enter(11, 3, false), &first);
    EXPECT_EQ(first.horizon.granted_ms, 0);
    EXPECT_EQ(first.horizon.floor_ms, 5000) << "above all that the old one made";
    EXPECT_EQ(first.slots.all, 0u);
    EXPECT_EQ(memory.state.slots.all, 0u);
    EXPECT_EQ(first.forgotten, 1);
    EXPECT_FALSE(is_current(slot));
}

TEST_F(DirectoryTest, ADatabaseWhoseRowChangedIsBegunAnewAboveWhatReadersKnow) {
    first.horizon.floor_ms = 5000;
    first.horizon.settled_ms = 6000;
    directory.enter(11, 2, false);
    EXPECT_EQ(first.horizon.floor_ms, 6000);
    EXPECT_EQ(first.horizon.settled_ms, 0);
}

TEST_F(DirectoryTest, ADatabaseOwesWhatTheOneOfItsNumberOwed) {
    first.horizon.is_indebted = true;
    first.horizon.debt_boot_ms = 7000;
    directory.enter(11, 2, false);
    EXPECT_TRUE(first.horizon.is_indebted);
    EXPECT_EQ(first.horizon.debt_boot_ms, 7000);
    directory.drop(first);
    EXPECT_FALSE(directory.enter(13, 5, false)->horizon.is_indebted) << "another number's";
}

TEST_F(DirectoryTest, ADroppedDatabasesEntryIsUsedAgain) {
    auto slot = obtain(first, 1);
    directory.drop(first);
    EXPECT_FALSE(is_current(slot));
    EXPECT_EQ(directory.find_database(11), nullptr);
    EXPECT_EQ(memory.state.slots.all, 0u);
    EXPECT_EQ(directory.enter(13, 5, false), &first);
    EXPECT_EQ(first.written_by, 5u);
    EXPECT_NE(directory.enter(14, 1, false), nullptr);
    EXPECT_NE(directory.enter(15, 1, false), nullptr);
    EXPECT_NE(directory.enter(16, 1, false), nullptr) << "more databases than slots";
    EXPECT_EQ(directory.enter(17, 1, false), nullptr) << "no room for a sixth database";
}

}  // namespace
}  // namespace idgen
