#include "core/draw/draw_steps.hpp"
#include "core/slot/placement.hpp"

#include <gtest/gtest.h>

#include "registry/node/rules/lease.hpp"
#include "shared_memory.hpp"
#include "support.hpp"

namespace idgen {
namespace {

using Status = Take::Status;

// A tick of 1 ms since 1970, four sequences.
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};
const Packing p = packing_of(layout);
constexpr Limits open_limits{us_of(5000), 0, 1000000, 100, false};
constexpr DrawRules rules{100, 1000, false, false};

Take refused(Status status, std::int64_t tick, std::int64_t wait_ms) {
    return {status, 0, 0, tick, 1000 * wait_ms};
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
        {"no number, or not so far", refused(Status::capped, 5000, 0), 9999, true, Next::await_number},
        {"the layout ends", refused(Status::past_end, 5000, 0), 0, false, Next::past_end},
        {"full", refused(Status::full, 5001, 1), 0, false, Next::wait},
        {"full, which is an error", refused(Status::full, 5001, 1), 0, true, Next::full},
        {"full, the last that may be waited for", refused(Status::full, 5001, 1), 999, false, Next::wait},
        {"full, longer", refused(Status::full, 5001, 1), 1000, false, Next::too_far_ahead},
        {"full, without a wait", refused(Status::full, 5001, 1001), 0, false, Next::full},
        {"full in a tick that is held", refused(Status::full, 5002, 1001), 0, false, Next::too_far_ahead},
        {"borrowed", refused(Status::borrowed, 5101, 1), 0, false, Next::wait},
        {"borrowed, which is an error", refused(Status::borrowed, 5101, 1), 0, true, Next::full},
        {"borrowed, longer", refused(Status::borrowed, 5101, 1), 1000, false, Next::borrowed},
        {"ahead", refused(Status::ahead, 6100, 1000), 0, false, Next::wait},
        {"ahead, where full is an error", refused(Status::ahead, 6100, 1000), 0, true, Next::wait},
        {"ahead, too far", refused(Status::ahead, 6101, 1001), 0, false, Next::too_far_ahead},
    };
    for (const auto &c : cases) {
        DrawRules own = rules;
        own.fails_when_full = c.fails_when_full;
        EXPECT_EQ(next_step(c.taken, p, open_limits, own, c.waited_ms), c.next) << c.what;
    }
    DrawRules borrowing = rules;
    borrowing.may_borrow = true;
    EXPECT_EQ(next_step(refused(Status::borrowed, 5101, 1), p, open_limits, borrowing, 1000), Next::full)
        << "by itself, too";
}

TEST(Draw, ReachIsTheLeadAndTheLongestWait) {
    EXPECT_TRUE(is_in_reach(1100000, rules));
    EXPECT_FALSE(is_in_reach(1100001, rules));
}

TEST(Draw, AClockCarriesWhateverSettingsSay) {
    DrawSource<NoLock> source{};
    DrawRules strict{100, 1000, false, true};
    EXPECT_FALSE(rules_of(source, strict).may_borrow);
    EXPECT_TRUE(rules_of(source, strict).fails_when_full);
    set_packing(source, p);
    source.carries = true;
    EXPECT_TRUE(rules_of(source, strict).may_borrow);
    EXPECT_FALSE(rules_of(source, strict).fails_when_full);
    EXPECT_EQ(base_of(source, {us_of(-5), 0, 0, 0, true}).number, 0);
    source.carries = false;
    EXPECT_LT(base_of(source, {us_of(-5), 0, 0, 0, true}).number, 0);
}

TEST(Draw, TheGrantIsReadBeforeTheFloor) {
    Horizon horizon{};
    horizon.floor_ms = 1000;
    horizon.granted_ms = 2000;
    Limits limits = limits_of(horizon, us_of(1500), [&horizon] {
        horizon.floor_ms = 3000;
        horizon.granted_ms = 4000;
    });
    EXPECT_EQ(limits.granted_ms, 2000);
    EXPECT_EQ(limits.floor_ms, 3000);
}

TEST(Draw, AGrantThatEndedCountsNoMore) {
    Horizon horizon{};
    horizon.granted_ms = 2000;
    EXPECT_EQ(grant_of(horizon.granted_ms, 1899, 200), Grant::holds);
    EXPECT_EQ(grant_of(horizon.granted_ms, 1900, 200), Grant::half_used);
    EXPECT_EQ(grant_of(horizon.granted_ms, 1999, 200), Grant::half_used);
    EXPECT_EQ(grant_of(horizon.granted_ms, 2000, 200), Grant::over);
    horizon.granted_ms = 0;
    EXPECT_EQ(grant_of(horizon.granted_ms, 1899, 200), Grant::over);
}

// A session that draws from a pool of shards 2 and 3.
class PoolTest : public testing::Test {
   protected:
    PoolTest() {
        database.horizon.floor_ms = 5000;
        session.cursor.aim(0, 2);
        set_packing(source, p);
        source.session = &session;
        source.pool = {&range, 1, 2};
        source.is_pool = true;
    }

    // Finds the slot whose turn it is.
    void select() {
        std::uint32_t shard = select_shard(source);
        Shortage shortage = Shortage::none;
        SlotRequest request{{key_of(layout), 11, shard}, layout, SlotUse::own, 4, 5000, 0};
        source.slot = memory.directory.obtain(database, request, shortage);
        source.held = held[shard];
    }
    bool attempt(std::uint32_t count, const Limits &limits = open_limits) {
        Tick base = base_of(source, limits);
        begin_try(source, base);
        if (!is_selected(source)) select();
        return try_slot(source, limits, base, count, taken);
    }
    // The shard that a whole try ends with.
    std::uint32_t attempt_all() {
        source.slot.entry = nullptr;
        Tick base = base_of(source, open_limits);
        begin_try(source, base);
        do {
            if (!is_selected(source)) select();
        } while (!try_slot(source, open_limits, base, 1, taken));
        return source.shard;
    }
    // Draws; whether it was held, not borrowed.
    bool draw_ahead(std::uint32_t count) {
        while (!attempt(count)) {
        }
        EXPECT_EQ(taken.status, Status::ok);
        note_drawn(source, taken);
        return note_ahead(source, taken.tick, taken.count,
                          counted_lead_ms(make_tick(p, taken.tick), open_limits.now_us));
    }

    SharedMemory memory{4};
    TestDatabase &database = *memory.directory.enter(11, 1, false);
    ShardRange range{2, 3};
    const HeldNumber *held[8] = {};  // of each shard
    DrawSession session{};
    DrawSource<NoLock> source{};
    Take taken{};
};

TEST_F(PoolTest, AFullShardMovesTheSessionUp) {
    EXPECT_TRUE(attempt(4));
    EXPECT_EQ(source.shard, 2u);
    note_drawn(source, taken);
    EXPECT_EQ(first_id(source, taken), pack(p, 5000, 2, 0));
    EXPECT_FALSE(attempt(1));
    EXPECT_FALSE(is_selected(source));
    select();
    EXPECT_EQ(source.shard, 3u);
    EXPECT_TRUE(try_slot(source, open_limits, make_tick(p, 5000), 4, taken));
    EXPECT_EQ(first_id(source, taken), pack(p, 5000, 3, 0));
    note_drawn(source, taken);
    EXPECT_TRUE(attempt(1)) << "the top of the pool";
    EXPECT_EQ(taken.status, Status::full);
}

// Numbers from a registry end one by one, if that does not answer.
TEST_F(PoolTest, WhoseNumberHasEndedTriesTheOthersBelowAndAbove) {
    HeldNumber numbers[2]{};
    for (std::uint32_t i : {0U, 1U}) {
        numbers[i].number = 2 + i;
        held[2 + i] = &numbers[i];
    }
    source.follows_pool = true;
    session.cursor = PoolCursor{};
    session.cursor.aim(1, 2);
    numbers[0].cap_ms = 6000;
    EXPECT_EQ(attempt_all(), 2u) << "from the top down";
    EXPECT_EQ(taken.status, Status::ok);
    numbers[0].cap_ms = 0;
    attempt_all();
    EXPECT_EQ(taken.status, Status::capped) << "none goes on";
    numbers[1].cap_ms = 6000;
    EXPECT_EQ(attempt_all(), 3u);
    EXPECT_EQ(taken.status, Status::ok);
    session.last = {5000, 2, 0};
    session.cursor = PoolCursor{};
    session.cursor.aim(0, 2);
    EXPECT_EQ(attempt_all(), 3u) << "and up, also within the tick";
    EXPECT_EQ(taken.status, Status::ok);
    session.last = {5000, 3, 0};
    numbers[0].cap_ms = 6000;
    numbers[1].cap_ms = 0;
    attempt_all();
    EXPECT_EQ(taken.status, Status::capped) << "not down within the tick: it would be smaller than the last one";
    session.last = {};
    session.cursor = PoolCursor{};
    session.cursor.aim(0, 2);
    numbers[0].cap_ms = 0;
    numbers[1].cap_ms = 6000;
    source.follows_pool = false;
    EXPECT_EQ(attempt_all(), 2u) << "one that was given by hand is waited for";
    EXPECT_EQ(taken.status, Status::capped);
    session.cursor.move_home(1);
    EXPECT_EQ(attempt_all(), 3u) << "as long as it is the home";
    EXPECT_EQ(taken.status, Status::ok);
}

// An error comes before the slot of the next shard is found: the next draw must not take from that of the last one.
TEST_F(PoolTest, WhoTurnsToAnotherShardHasNoSlotUntilItIsFound) {
    begin_try(source, make_tick(p, 5000));
    select();
    EXPECT_TRUE(is_selected(source));
    select_shard(source);
    EXPECT_FALSE(is_selected(source));
}

// As two statements of a session have them that found its pool at different times.
TEST_F(PoolTest, EachSourceOfASessionDrawsFromItsOwnPool) {
    ShardRange more[] = {{0, 0}, {4, 7}};
    DrawSource<NoLock> other = source;
    other.pool = {more, 2, 5};
    session.cursor.aim(3, 5);
    begin_try(other, make_tick(p, 5000));
    EXPECT_EQ(select_shard(other), 7u) << "the home of session 3";
    EXPECT_EQ(select_shard(source), 3u);
    EXPECT_LT(source.rank, source.pool.shard_count);
    EXPECT_EQ(select_shard(other), 7u);
}

TEST_F(PoolTest, ASlotThatIsSomebodyElsesIsNotTakenFrom) {
    EXPECT_TRUE(attempt(1));
    source.slot.entry->generation++;
    Slot before = source.slot.entry->slot;
    auto *entry = source.slot.entry;
    EXPECT_FALSE(attempt(1));
    EXPECT_EQ(source.slot.entry, nullptr);
    EXPECT_EQ(entry->slot.ids, before.ids);
    EXPECT_TRUE(attempt(1)) << "found again";
    EXPECT_EQ(taken.status, Status::ok);
}

TEST_F(PoolTest, EachIdLiesAboveTheSessionsLast) {
    session.last = {5050, 2, 1};
    EXPECT_TRUE(attempt(1));
    EXPECT_EQ(source.shard, 2u);
    EXPECT_EQ(first_id(source, taken), pack(p, 5050, 2, 2));
    source.session = nullptr;
    source.is_pool = false;
    EXPECT_TRUE(attempt(1));
    note_drawn(source, taken);
    EXPECT_EQ(session.last.tick, 5050) << "no session, nothing noted";
}

// On a shard that stands at the clock, a session goes on in the tick that it drew from before.
TEST_F(PoolTest, ABorrowedTickIsBorrowedOnTheNextShard) {
    select();
    source.slot.entry->slot = {5050, 2, 50000, 0, 0, 0, 5050};
    EXPECT_FALSE(draw_ahead(4));
    EXPECT_EQ(session.last.borrowed_tick, 5050);
    EXPECT_FALSE(draw_ahead(4));
    EXPECT_EQ(source.shard, 3u);
    EXPECT_EQ(taken.tick, 5050);
    EXPECT_TRUE(is_borrowed(source.slot.entry->slot, 5050));
    EXPECT_EQ(source.slot.entry->slot.borrowed_lead_us, 50000u);
    EXPECT_EQ(source.slot.entry->slot.borrows, 4u);
    EXPECT_EQ(source.slot.entry->max_lead_ms, 50u);

    EXPECT_TRUE(attempt(1));
    EXPECT_EQ(taken.status, Status::borrowed) << "and full";
    Limits later = open_limits;
    later.now_us += 1000;
    EXPECT_TRUE(attempt(1, later));
    EXPECT_EQ(taken.tick, 5051) << "no need to wait for the clock";
}

TEST_F(PoolTest, ATickThatIsHeldIsHeldOnTheNextShard) {
    select();
    source.slot.entry->slot = {5050, 2, 0, 0, 0, 0, -1};
    EXPECT_TRUE(draw_ahead(4));
    EXPECT_EQ(session.last.borrowed_tick, -1);
    EXPECT_TRUE(draw_ahead(4));
    EXPECT_EQ(source.shard, 3u);
    EXPECT_EQ(source.slot.entry->slot.holds, 4u);
    EXPECT_TRUE(attempt(1));
    EXPECT_EQ(taken.status, Status::full);
    EXPECT_EQ(taken.wait_us, 51000);
}

// A session that observed an ID ahead of the clock begins its tick by choice: those that wait go on after it.
TEST_F(PoolTest, ATickBegunAboveAnObservedIdIsBorrowed) {
    session.last = drawn_beyond(p, {5050, 2, 0}, 3);
    EXPECT_FALSE(draw_ahead(3));
    EXPECT_EQ(source.shard, 2u);
    EXPECT_EQ(taken.tick, 5050);
    EXPECT_EQ(source.slot.entry->slot.borrowed_lead_us, 50000u);

    DrawSession other{};
    source.session = &other;
    source.is_pool = false;
    EXPECT_TRUE(attempt(1));
    EXPECT_EQ(taken.status, Status::borrowed);
    EXPECT_EQ(taken.wait_us, 1000);
    Limits later = open_limits;
    later.now_us += 1000;
    EXPECT_TRUE(attempt(1, later));
    EXPECT_EQ(taken.tick, 5051) << "no need to wait for the clock";
}

TEST_F(PoolTest, AnObservedTickIsBorrowedOnTheNextShard) {
    session.last = drawn_beyond(p, {5050, 2, 0}, 3);
    EXPECT_FALSE(draw_ahead(3));
    EXPECT_FALSE(draw_ahead(4));
    EXPECT_EQ(source.shard, 3u);
    EXPECT_EQ(source.slot.entry->slot.borrows, 4u);
}

// The clock was set back: the slot is held there already, and stays so.
TEST_F(PoolTest, AHeldTickThatIsObservedIsHeld) {
    select();
    source.slot.entry->slot = {5050, 0, 0, 0, 0, 0, -1};
    session.last = drawn_beyond(p, {5050, 2, 0}, 3);
    EXPECT_TRUE(draw_ahead(3));
    EXPECT_EQ(source.slot.entry->slot.holds, 3u);
    source.session = nullptr;
    source.is_pool = false;
    EXPECT_TRUE(attempt(1));
    EXPECT_EQ(taken.status, Status::full);
    EXPECT_EQ(taken.wait_us, 51000);
}

TEST_F(PoolTest, ATickThatOthersHoldIsNotMarked) {
    select();
    session.last = {5050, 2, 0, 5050};
    source.slot.entry->slot = {5050, 0, 0, 0, 0, 0, -1};
    EXPECT_TRUE(draw_ahead(1));
    EXPECT_FALSE(is_borrowed(source.slot.entry->slot, 5050));
    source.slot.entry->generation++;
    EXPECT_FALSE(note_ahead(source, 5050, 1, 50)) << "somebody else's slot";
    EXPECT_EQ(source.slot.entry->slot.holds, 1u);
}

TEST_F(PoolTest, LeadsOfAnySizeAreCounted) {
    select();
    note_ahead(source, 5050, 1, INT64_MAX);
    note_ahead(source, 5050, 1, 1);
    EXPECT_EQ(source.slot.entry->max_lead_ms, UINT32_MAX);
    reset_counters(*source.slot.entry);
    EXPECT_EQ(source.slot.entry->max_lead_ms, 0u);
    EXPECT_EQ(source.slot.entry->slot.holds, 0u);
}

TEST_F(PoolTest, ALeaseCapsTheIdsOfItsNumber) {
    Lease lease{};
    lease.number = 2;
    held[2] = &lease;
    source.is_pool = false;
    EXPECT_TRUE(attempt(1));
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
    held[2] = &lease;
    EXPECT_TRUE(attempt(1));
    Limits closed = open_limits;
    closed.granted_ms = 5000;
    try_slot(source, closed, make_tick(p, 5000), 1, taken);
    EXPECT_EQ(taken.status, Status::renew);
}

TEST(DrawSession, ForgetsWhatItDrewBeforeAReset) {
    DrawSession session{};
    session.last = {5000, 3, 1};
    session.last.borrowed_tick = 5000;
    note_resets(session, 0);
    EXPECT_EQ(session.last.tick, 5000);
    EXPECT_EQ(session.last.borrowed_tick, 5000);
    note_resets(session, 1);
    EXPECT_EQ(session.last.tick, -1);
    EXPECT_EQ(session.last.borrowed_tick, -1);
    EXPECT_EQ(session.resets, 1u);
}

}  // namespace
}  // namespace idgen
