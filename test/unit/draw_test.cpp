#include "core/issue/draw.hpp"

#include <gtest/gtest.h>

#include "shared_memory.hpp"
#include "support.hpp"

namespace idgen {
namespace {

using Status = Take::Status;

// A tick of 1 ms since 1970, four sequences.
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};
const Packing p = packing_of(layout);
constexpr Limits open_limits{5000, 0, 1000000, 100, false};
constexpr DrawRules rules{100, 1000, false, false};

Take refused(Status status, std::int64_t tick, std::int64_t wait_ms) {
    return {status, 0, 0, tick, wait_ms};
}

TEST(Draw, WhatFollowsFromATake) {
    const struct {
        const char *what;
        Take taken;
        std::int64_t waited_ms;
        bool fails_when_full;
        Next next;
    } cases[] = {
        {"taken", {Status::ok, 1, 0, 5000, 0}, 9999, true, Next::issue},
        {"beyond the grant", refused(Status::renew, 5000, 0), 9999, true, Next::renew},
        {"no number, or not so far", refused(Status::capped, 5000, 0), 9999, true, Next::keep},
        {"the layout ends", refused(Status::past_end, 5000, 0), 0, false, Next::past_end},
        {"full", refused(Status::full, 5001, 1), 0, false, Next::wait},
        {"full, which is an error", refused(Status::full, 5001, 1), 0, true, Next::full},
        {"full, the last that may be waited for", refused(Status::full, 5001, 1), 999, false, Next::wait},
        {"full, longer", refused(Status::full, 5001, 1), 1000, false, Next::behind},
        {"full by a lead that was borrowed", refused(Status::full, 5101, 1001), 0, false, Next::full},
        {"full, further ahead than a lead", refused(Status::full, 6102, 1001), 0, false, Next::behind},
        {"ahead", refused(Status::ahead, 6100, 1000), 0, false, Next::wait},
        {"ahead, where full is an error", refused(Status::ahead, 6100, 1000), 0, true, Next::wait},
        {"ahead, too far", refused(Status::ahead, 6101, 1001), 0, false, Next::behind},
    };
    for (const auto &c : cases) {
        DrawRules own = rules;
        own.fails_when_full = c.fails_when_full;
        EXPECT_EQ(next_step(c.taken, p, open_limits, own, c.waited_ms), c.next) << c.what;
    }
}

TEST(Draw, ReachIsTheLeadAndTheLongestWait) {
    EXPECT_TRUE(is_in_reach(1100, rules));
    EXPECT_FALSE(is_in_reach(1101, rules));
}

TEST(Draw, AClockCarriesWhateverSettingsSay) {
    DrawSource<NoLock> source{};
    DrawRules strict{100, 1000, false, true};
    EXPECT_FALSE(rules_of(source, strict).may_borrow);
    EXPECT_TRUE(rules_of(source, strict).fails_when_full);
    source.packing = p;
    source.carries = true;
    EXPECT_TRUE(rules_of(source, strict).may_borrow);
    EXPECT_FALSE(rules_of(source, strict).fails_when_full);
    EXPECT_EQ(base_of(source, {-5, 0, 0, 0, true}), 0);
    source.carries = false;
    EXPECT_LT(base_of(source, {-5, 0, 0, 0, true}), 0);
}

TEST(Draw, TheGrantIsReadBeforeTheFloor) {
    Horizon horizon{};
    horizon.floor_ms = 1000;
    horizon.granted_ms = 2000;
    Limits limits = limits_of(horizon, 1500, rules, [&horizon] {
        horizon.floor_ms = 3000;
        horizon.granted_ms = 4000;
    });
    EXPECT_EQ(limits.granted_ms, 2000);
    EXPECT_EQ(limits.floor_ms, 3000);
}

// A session that draws from a pool of shards 2 and 3.
class PoolTest : public testing::Test {
   protected:
    PoolTest() {
        database.horizon.floor_ms = 5000;
        session.cursor.aim(0, 2);
        source.packing = p;
        source.session = &session;
        source.pool = {&range, 1, 2};
        source.is_pool = true;
    }

    // Finds the slot whose turn it is.
    void select() {
        std::uint32_t shard = select_shard(source);
        Shortage shortage = Shortage::none;
        SlotRequest request{{key_of(layout), 11, shard}, layout, Claim::own, 4, 5000, 0};
        source.slot = memory.directory.obtain(database, request, shortage);
    }
    Answer attempt(std::uint32_t count) {
        std::int64_t base = base_of(source, open_limits);
        begin_try(source, base);
        if (!is_selected(source)) select();
        return try_slot(source, open_limits, base, count, taken);
    }

    SharedMemory memory{4};
    TestDatabase &database = *memory.directory.enter(11, 1, false);
    ShardRange range{2, 3};
    DrawSession session{};
    DrawSource<NoLock> source{};
    Take taken{};
};

TEST_F(PoolTest, AFullShardMovesTheSessionUp) {
    EXPECT_EQ(attempt(4), Answer::final);
    EXPECT_EQ(source.shard, 2u);
    note_drawn(source, taken);
    EXPECT_EQ(first_id(source, taken), pack(p, 5000, 2, 0));
    EXPECT_EQ(attempt(1), Answer::select);
    EXPECT_FALSE(is_selected(source));
    select();
    EXPECT_EQ(source.shard, 3u);
    EXPECT_EQ(try_slot(source, open_limits, 5000, 4, taken), Answer::final);
    EXPECT_EQ(first_id(source, taken), pack(p, 5000, 3, 0));
    note_drawn(source, taken);
    EXPECT_EQ(attempt(1), Answer::final) << "the top of the pool";
    EXPECT_EQ(taken.status, Status::full);
}

TEST_F(PoolTest, ASlotThatIsSomebodyElsesIsNotTakenFrom) {
    EXPECT_EQ(attempt(1), Answer::final);
    source.slot.entry->generation++;
    Slot before = source.slot.entry->slot;
    auto *entry = source.slot.entry;
    EXPECT_EQ(attempt(1), Answer::select);
    EXPECT_EQ(source.slot.entry, nullptr);
    EXPECT_EQ(entry->slot.ids, before.ids);
    EXPECT_EQ(attempt(1), Answer::final) << "found anew";
    EXPECT_EQ(taken.status, Status::ok);
}

TEST_F(PoolTest, EachIdLiesAboveTheSessionsLast) {
    session.last = {5050, 2, 1};
    EXPECT_EQ(attempt(1), Answer::final);
    EXPECT_EQ(source.shard, 2u);
    EXPECT_EQ(first_id(source, taken), pack(p, 5050, 2, 2));
    source.session = nullptr;
    source.is_pool = false;
    EXPECT_EQ(attempt(1), Answer::final);
    note_drawn(source, taken);
    EXPECT_EQ(session.last.tick, 5050) << "no session, nothing noted";
}

TEST_F(PoolTest, ALeaseCapsTheIdsOfItsNumber) {
    Lease lease{};
    lease.number = 2;
    source.lease = &lease;
    EXPECT_EQ(attempt(1), Answer::final);
    EXPECT_EQ(taken.status, Status::capped) << "nothing is held";
    EXPECT_EQ(source.slot.entry->slot.ids, 0u);
    lease.cap_ms = 5000;
    attempt(1);
    EXPECT_EQ(taken.status, Status::capped) << "the tick starts at the cap";
    lease.cap_ms = 5001;
    attempt(1);
    EXPECT_EQ(taken.status, Status::ok);
    lease.number = 3;
    attempt(1);
    EXPECT_EQ(taken.status, Status::capped) << "the lease is of another number by now";
}

TEST_F(PoolTest, AHorizonBelowTheCapIsRenewed) {
    Lease lease{};
    lease.number = 2;
    lease.cap_ms = 6000;
    source.lease = &lease;
    EXPECT_EQ(attempt(1), Answer::final);
    Limits closed = open_limits;
    closed.granted_ms = 5000;
    try_slot(source, closed, 5000, 1, taken);
    EXPECT_EQ(taken.status, Status::renew);
}

TEST(DrawSession, ForgetsWhatItDrewBeforeAReset) {
    DrawSession session{};
    session.last = {5000, 3, 1};
    note_resets(session, 0);
    EXPECT_EQ(session.last.tick, 5000);
    note_resets(session, 1);
    EXPECT_EQ(session.last.tick, -1);
    EXPECT_EQ(session.resets, 1u);
}

}  // namespace
}  // namespace idgen
