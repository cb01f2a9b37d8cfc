#include "core/issue/moves.hpp"

#include <gtest/gtest.h>

#include "shared_memory.hpp"

namespace idgen {
namespace {

constexpr std::int64_t t = 1767225600000;  // 2026-01-01
constexpr std::int64_t ours = 77, theirs = 78;
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};

TEST(Moves, FirstHorizonLiesAboveClockAndCheckpoint) {
    constexpr struct {
        const char *what;
        std::int64_t now_ms, checkpoint_s, horizon_ms;
    } cases[] = {
        {"a checkpoint not known", 9500, 0, 10000},        {"a second that is over", 9500, 8, 10000},
        {"a second that is not: its end", 9500, 9, 10499}, {"its last ms", 9999, 9, 10499},
        {"a second to come: its end", 9500, 12, 13499},
    };
    for (const auto &c : cases) EXPECT_EQ(first_horizon_ms(c.now_ms, c.checkpoint_s, 500), c.horizon_ms) << c.what;
}

class MovesTest : public testing::Test {
   protected:
    // A slot that has come to the tick at `ms` after t.
    SlotReference<NoLock> slot_at(std::int64_t ms, std::uint32_t shard = 1) {
        Shortage shortage = Shortage::none;
        SlotRequest request{{key_of(layout), 11, shard}, layout, SlotUse::own, 4, t, 0};
        auto slot = memory.directory.obtain(database, request, shortage);
        slot.entry->slot.tick = t + ms;
        return slot;
    }

    SharedMemory memory{4};
    TestDatabase &database = *memory.directory.enter(11, 1, false);
    Horizon &horizon = database.horizon;
    ServerView server{ours, {t, 0}, 0, {3, 4}, {1001, 5}, 0, false, false, {1000, 300, 500}, {60000, 3000}};
};

TEST_F(MovesTest, AHorizonBeginsAboveWhatIsKnown) {
    slot_at(700);
    horizon.granted_ms = t + 900;
    EXPECT_EQ(begin_horizon(memory.directory, database, t + 300, 1), bare_record(t + 701, 1));
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.floor_ms, t + 701);
    EXPECT_EQ(begin_horizon(memory.directory, database, t + 5000, 1), bare_record(t + 5000, 1));
}

TEST_F(MovesTest, AnAdvanceMovesFloorRecordAndSlots) {
    PageVerdict verdict = plan_advance(horizon, bare_record(t + 500, ours), server, t + 2000);
    ASSERT_TRUE(verdict.is_to_write);
    EXPECT_EQ(verdict.record.value, t + 2000);
    EXPECT_EQ(verdict.record.identity, ours);
    EXPECT_EQ(verdict.record.owner, 1001);
    EXPECT_EQ(horizon.floor_ms, t + 2000);
    auto low = slot_at(100), high = slot_at(2500, 2);
    horizon.granted_ms = t + 900;
    finish_advance(memory.directory, database, verdict.record, t + 2000);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(low.entry->slot.tick, t + 1999);
    EXPECT_EQ(high.entry->slot.tick, t + 2500);
    EXPECT_TRUE(horizon.record.known == verdict.record);
}

TEST_F(MovesTest, AnAdvanceBelowTheHorizonLowersNothing) {
    PageVerdict verdict = plan_advance(horizon, bare_record(t + 500, ours), server, t - 5000);
    EXPECT_EQ(verdict.record.value, t + 500);
    EXPECT_EQ(horizon.floor_ms, t + 500);
}

TEST_F(MovesTest, AnAdvanceIsNobodysWhileADebtIsNotPaid) {
    PageVerdict verdict = plan_advance(horizon, bare_record(t + 500, theirs), server, t + 2000);
    EXPECT_EQ(verdict.record.identity, 0);
    EXPECT_EQ(plan_advance(horizon, bare_record(5, ours), server, t).outcome.renewal, Renewal::out_of_bounds);
}

TEST_F(MovesTest, AMoveDoesNotProveThatItIsNoClone) {
    server.has_clone = true;
    EXPECT_EQ(plan_reset(bare_record(t + 500, theirs), server, t).identity, 0);
    EXPECT_EQ(plan_reset(bare_record(t + 500, ours), server, t).identity, ours);
    DurableRecord page = bare_record(t + 500, 0);  // what it wrote while a clone was registered
    note_advanced(horizon, page);
    EXPECT_EQ(plan_advance(horizon, page, server, t).record.identity, 0);
    server.has_clone = false;
    EXPECT_EQ(plan_advance(horizon, page, server, t).record.identity, ours);
}

TEST_F(MovesTest, AMoveKeepsACopyACopy) {
    DurableRecord page = bare_record(t + 500, ours);
    page.owner = 2002;
    page.shards = 5;
    EXPECT_EQ(plan_advance(horizon, page, server, t).record.owner, 2002);
    EXPECT_EQ(plan_reset(page, server, t).owner, 2002);
    EXPECT_EQ(plan_reset(page, server, t).identity, page.identity) << "a copy that is refused stays so";
    server.admits_copy = server.admits_inherited = true;
    EXPECT_EQ(plan_reset(page, server, t).identity, ours);
    EXPECT_EQ(plan_confirmation(page, server).owner, 1001);
    EXPECT_EQ(plan_confirmation(page, server).value, t + 500);
}

TEST_F(MovesTest, AResetLowersFloorRecordAndSlotsAndConfirmsTheClock) {
    AcceptedClock accepted;
    forget(accepted);
    admit_page(horizon, bare_record(t + 90000, theirs), ours, server.clock, server.rules);
    auto slot = slot_at(90000);
    DurableRecord record = plan_reset(horizon.record.known, server, t + 100);
    EXPECT_EQ(record.value, t + 100);
    finish_reset(memory.directory, database, record, accepted, 42);
    EXPECT_EQ(horizon.floor_ms, t + 100);
    EXPECT_FALSE(horizon.is_indebted);
    EXPECT_EQ(slot.entry->slot.tick, t + 99);
    EXPECT_EQ(database.resets, 1u);
    EXPECT_EQ(accepted.confirmed_ms, 42);
}

TEST_F(MovesTest, AConfirmationIsExpectedOnlyWhereThePageWas) {
    DurableRecord page = bare_record(t + 500, ours), confirmed = plan_confirmation(page, server);
    finish_confirmation(horizon, page, confirmed, ours);
    EXPECT_FALSE(horizon.record.is_loaded);
    admit_page(horizon, page, ours, server.clock, server.rules);
    finish_confirmation(horizon, page, confirmed, ours);
    EXPECT_TRUE(horizon.record.known == confirmed);
    finish_confirmation(horizon, page, page, ours);
    EXPECT_TRUE(horizon.record.known == confirmed) << "somebody else changed the page";
}

// The origin went on while the copy was refused.
TEST_F(MovesTest, AConfirmedCopyOwesWhatItsOriginCanHaveMadeUntilThen) {
    DurableRecord page = bare_record(t + 500, theirs), confirmed = plan_confirmation(page, server);
    admit_page(horizon, page, ours, server.clock, server.rules);
    EXPECT_EQ(horizon.floor_ms, t + 1301);
    server.clock.now_ms += 60000;
    finish_confirmation(horizon, page, confirmed, ours);
    EXPECT_FALSE(admit_page(horizon, confirmed, ours, server.clock, server.rules));
    EXPECT_EQ(horizon.floor_ms, t + 61301);
}

TEST(Moves, FarAheadIsMoreThanAnHour) {
    constexpr std::int64_t hour_ms = 3600000;
    EXPECT_FALSE(is_far_ahead(5000 + hour_ms, 5000));
    EXPECT_TRUE(is_far_ahead(5001 + hour_ms, 5000));
    EXPECT_FALSE(is_far_ahead(0, 5000));
}

}  // namespace
}  // namespace idgen
