#include "core/reading/settled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "shared_memory.hpp"
#include "support.hpp"
#include "threads.hpp"

namespace idgen {
namespace {

struct TestLock {
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    void lock() noexcept {
        while (flag.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() noexcept { flag.clear(std::memory_order_release); }
};

constexpr auto no_pause = [] {};

// A process that draws in one database, by a layout of ms unless another is named.
struct Drawer {
    Horizon horizon{};
    ProcessEntry<TestLock> entry{};
    Announced own{};
    Packing ms = packing_of("epoch=1970-01-01 unit=1ms time=41 shard=10 sequence=12");
    Packing seconds = packing_of("epoch=1970-01-01 unit=1s time=31 shard=10 sequence=12");

    std::int64_t draw(std::uint32_t transaction, const Packing &p, std::int64_t base) {
        return announce(entry, own, horizon, 1, {70, transaction}, p, base, no_pause);
    }
    std::int64_t announced_ms() {
        LocalTransaction transaction;
        std::int64_t start_ms;
        return read_announcement(entry, 1, transaction, start_ms) ? start_ms : -1;
    }
};

TEST(Settled, AnAnnouncementCoversLaterTicksOfItsTransaction) {
    Drawer d;
    EXPECT_FALSE(is_announced(d.own, 7, 5000));
    EXPECT_EQ(d.draw(7, d.ms, 5000), 5000);
    EXPECT_TRUE(is_announced(d.own, 7, 5000));
    EXPECT_TRUE(is_announced(d.own, 7, 6000));
    EXPECT_FALSE(is_announced(d.own, 7, 4999)) << "an earlier tick";
    EXPECT_FALSE(is_announced(d.own, 8, 6000)) << "the next transaction";
    d.draw(7, d.ms, 6000);
    EXPECT_EQ(d.announced_ms(), 5000);
    d.draw(7, d.ms, 4000);
    EXPECT_EQ(d.announced_ms(), 4000) << "only lowered";
    d.draw(8, d.ms, 6000);
    EXPECT_EQ(d.announced_ms(), 6000) << "that of the next transaction is its own";
}

TEST(Settled, NoTickBelowThatOfSIsBegun) {
    Drawer d;
    d.horizon.settled_ms = 5463;
    EXPECT_EQ(d.draw(7, d.ms, 5200), 5463) << "the clock was set back";
    EXPECT_EQ(d.announced_ms(), 5463);
    EXPECT_FALSE(is_announced(d.own, 7, 5200)) << "nor by the next draw";
    EXPECT_EQ(d.draw(7, d.ms, 5200), 5463);
    EXPECT_EQ(d.draw(7, d.ms, 5464), 5464);
}

TEST(Settled, ATickOfASecondThatSLiesInIsNotOver) {
    Drawer d;
    d.horizon.settled_ms = 5463;
    EXPECT_EQ(d.draw(7, d.seconds, 5), 5);
    EXPECT_EQ(d.announced_ms(), 5000);
    EXPECT_FALSE(is_announced(d.own, 7, 5000)) << "not at once";
    EXPECT_TRUE(covers(d.own, 7, d.seconds, 5));
    EXPECT_EQ(d.draw(7, d.ms, 5200), 5463) << "what was announced for seconds lets no short tick begin below S";
    EXPECT_EQ(d.announced_ms(), 5000);
}

TEST(Settled, AShortTickIsAnnouncedByItsMs) {
    Packing hundred = packing_of("epoch=1970-01-01 unit=100us time=45 shard=10 sequence=8");
    Packing odd = packing_of("epoch=1970-01-01 unit=1500us time=42 shard=10 sequence=8");
    const struct {
        const char *what;
        const Packing &p;
        std::int64_t settled_ms, base, begun, announced_ms;
    } cases[] = {
        {"at x.3 ms", hundred, 0, 50003, 50003, 5000},     {"at x.9 ms", hundred, 0, 50009, 50009, 5000},
        {"at a whole ms", hundred, 0, 50010, 50010, 5001}, {"1.5 ms, at a whole ms", odd, 0, 3334, 3334, 5001},
        {"1.5 ms, between two", odd, 0, 3335, 3335, 5002}, {"below S", hundred, 5001, 50009, 50010, 5001},
        {"at S", hundred, 5001, 50010, 50010, 5001},       {"above S, in its ms", hundred, 5001, 50011, 50011, 5001},
        {"1.5 ms, below S", odd, 5003, 3334, 3335, 5002},  {"1.5 ms, S lies in the tick", odd, 5003, 3335, 3335, 5002},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        Drawer d;
        d.horizon.settled_ms = c.settled_ms;
        EXPECT_EQ(d.draw(7, c.p, c.base), c.begun);
        EXPECT_EQ(d.announced_ms(), c.announced_ms);
        EXPECT_LE(us_of(c.announced_ms), start_of(c.p, c.begun)) << "never above what is drawn";
        EXPECT_TRUE(covers(d.own, 7, c.p, c.begun));
        EXPECT_EQ(is_announced(d.own, 7, ms_down(start_of(c.p, c.begun))), c.announced_ms >= c.settled_ms);
    }
}

TEST(Settled, AnAnnouncementCoversTheShortTicksOfItsMs) {
    Packing hundred = packing_of("epoch=1970-01-01 unit=100us time=45 shard=10 sequence=8");
    Drawer d;
    d.draw(7, hundred, 50003);
    EXPECT_TRUE(covers(d.own, 7, hundred, 50000)) << "the ms was announced";
    EXPECT_FALSE(covers(d.own, 7, hundred, 49999));
    EXPECT_FALSE(is_announced(d.own, 7, 4999));
    EXPECT_EQ(d.draw(7, hundred, 49999), 49999);
    EXPECT_EQ(d.announced_ms(), 4999);
}

TEST(Settled, AnotherDatabaseIsNotHeldBack) {
    ProcessEntry<TestLock> entry{};
    LocalTransaction transaction;
    std::int64_t start_ms;
    EXPECT_FALSE(read_announcement(entry, 1, transaction, start_ms)) << "nothing announced yet";
    write_announcement(entry, 2, {70, 7}, 5000);
    EXPECT_FALSE(read_announcement(entry, 1, transaction, start_ms));
    EXPECT_TRUE(read_announcement(entry, 2, transaction, start_ms));
}

TEST(Settled, ANumberThatComesAgainInAnotherDatabaseIsAnother) {
    ProcessEntry<TestLock> entry{};
    LocalTransaction transaction;
    std::int64_t start_ms;
    write_announcement(entry, 1, {70, 7}, 5000);
    write_announcement(entry, 2, {70, 7}, 6000);
    EXPECT_FALSE(read_announcement(entry, 1, transaction, start_ms));
    EXPECT_TRUE(read_announcement(entry, 2, transaction, start_ms));
    EXPECT_EQ(start_ms, 6000);
}

TEST(Settled, AWorkerAnnouncesForItsLeader) {
    EXPECT_EQ(announcing_process(3, 9, true), 9u);
    EXPECT_EQ(announcing_process(3, 3, false), 3u);
    ProcessEntry<TestLock> entry{};
    Horizon horizon{};
    Announced leader{}, worker{};
    Packing p = packing_of("epoch=1970-01-01 unit=1ms time=41 shard=10 sequence=12");
    announce(entry, worker, horizon, 1, {70, 7}, p, 6000, no_pause);
    announce(entry, leader, horizon, 1, {70, 7}, p, 5000, no_pause);
    EXPECT_EQ(entry.start_ms, 5000);
    worker = {};
    announce(entry, worker, horizon, 1, {70, 7}, p, 8000, no_pause);
    EXPECT_EQ(entry.start_ms, 5000) << "the earliest of all";
    EXPECT_EQ(worker.start_ms, 8000) << "what the others announced does not cover it";
}

// A server of two processes, and prepared transactions.
struct TestServer {
    std::uint32_t transactions[2] = {};
    std::vector<std::uint32_t> in_progress;
    std::vector<std::uint32_t> old;  // those from 1000 on are of another database
    std::atomic<bool> old_ended{false};
    mutable int lists_read = 0;
    ProcessEntry<TestLock> processes[2]{};
    std::uint32_t pids[2] = {70, 70};
    PreparedEntry prepared[3]{};

    bool is_in(std::uint32_t process, const LocalTransaction &transaction) const {
        return transactions[process] == transaction.number && pids[process] == transaction.pid;
    }
    bool is_in_progress(std::uint32_t xid) const {
        return std::find(in_progress.begin(), in_progress.end(), xid) != in_progress.end();
    }
    template <class Visit>
    void for_each_old(Visit visit) const {
        lists_read++;
        for (std::uint32_t xid : old) visit(xid, xid < 1000);
    }
    Settled settle(std::int64_t settled_ms = 9000) {
        Announcements<TestLock> all{processes, 2, prepared, 3, &old_ended};
        return gather(settled_ms, all, 1, *this, no_pause);
    }
    bool keep(const PreparedAnnouncement &announcement) {
        return hand_over(prepared, 3, announcement, [this](std::uint32_t xid) { return is_in_progress(xid); });
    }
};

TEST(Settled, TheLeastOfAllThatRunIsTheAnswer) {
    TestServer server;
    EXPECT_EQ(server.settle().until_ms, 9000);
    EXPECT_EQ(server.settle().held_by, HeldBy::none);
    write_announcement(server.processes[0], 1, {70, 7}, 5000);
    write_announcement(server.processes[1], 1, {70, 8}, 4000);
    EXPECT_EQ(server.settle().held_by, HeldBy::none) << "both have ended";
    server.transactions[0] = 7;
    EXPECT_EQ(server.settle().until_ms, 5000);
    EXPECT_EQ(server.settle().held_by, HeldBy::process);
    server.transactions[1] = 8;
    EXPECT_EQ(server.settle().until_ms, 4000);
    EXPECT_EQ(server.settle().holder, 1u);
    EXPECT_EQ(server.settle(3000).held_by, HeldBy::none) << "S is earlier";
}

TEST(Settled, WhatAProcessAnnouncedEndsWithIt) {
    TestServer server;
    write_announcement(server.processes[0], 1, {70, 7}, 5000);
    server.transactions[0] = 7;
    EXPECT_EQ(server.settle().held_by, HeldBy::process);
    server.pids[0] = 71;
    EXPECT_EQ(server.settle().held_by, HeldBy::none) << "the next one in its place has a transaction of that number";
    write_announcement(server.processes[0], 1, {71, 7}, 6000);
    EXPECT_EQ(server.settle().until_ms, 6000) << "and announces its own";
}

TEST(Settled, APreparedTransactionHoldsUntilItEnds) {
    TestServer server;
    write_announcement(server.processes[0], 1, {70, 7}, 5000);
    PreparedAnnouncement announcement = announcement_of(server.processes[0], {}, 1, {70, 7}, 100);
    EXPECT_EQ(announcement.start_ms, 5000) << "also if its process has drawn nothing itself";
    EXPECT_EQ(announcement_of(server.processes[0], {}, 1, {70, 6}, 101).start_ms, drew_nothing)
        << "another transaction";
    EXPECT_EQ(announcement_of(server.processes[0], {}, 1, {71, 7}, 101).start_ms, drew_nothing) << "another process";
    EXPECT_EQ(announcement_of(server.processes[0], {}, 2, {70, 7}, 102).start_ms, drew_nothing)
        << "in another database";
    EXPECT_TRUE(server.keep(announcement));
    server.in_progress = {100};
    EXPECT_EQ(server.settle().until_ms, 5000);
    EXPECT_EQ(server.settle().held_by, HeldBy::prepared);
    EXPECT_EQ(server.settle().holder, 100u);
    server.in_progress.clear();
    EXPECT_EQ(server.settle().held_by, HeldBy::none);
}

TEST(Settled, WhatIsDrawnInAnotherDatabaseHoldsNothing) {
    TestServer server;
    write_announcement(server.processes[0], 2, {70, 7}, 5000);
    server.transactions[0] = 7;
    EXPECT_TRUE(server.keep({100, 2, 4000}));
    server.in_progress = {100};
    EXPECT_EQ(server.settle().held_by, HeldBy::none);
}

TEST(Settled, OfAPreparedTransactionThatNobodyRemembersNothingIsKnown) {
    TestServer server;
    server.old = {50};
    server.in_progress = {50};
    EXPECT_EQ(server.settle().held_by, HeldBy::unknown);
    EXPECT_EQ(server.settle().holder, 50u);
    server.in_progress = {};
    EXPECT_EQ(server.settle().held_by, HeldBy::none) << "it has ended";
}

TEST(Settled, APreparedTransactionThatIsRememberedIsKnown) {
    TestServer server;
    server.old = {50};
    server.in_progress = {50};
    EXPECT_TRUE(server.keep({50, 1, drew_nothing}));
    EXPECT_EQ(server.settle().held_by, HeldBy::none) << "it is known to have drawn nothing";
}

TEST(Settled, OnceNoneOfBeforeTheStartIsLeftInAnyDatabaseTheyAreNotLookedFor) {
    TestServer server;
    server.old = {50, 1050};
    server.in_progress = {50, 1050};
    EXPECT_EQ(server.settle().held_by, HeldBy::unknown);
    server.in_progress = {1050};
    EXPECT_EQ(server.settle().held_by, HeldBy::none);
    EXPECT_FALSE(server.old_ended) << "one of another database is left";
    EXPECT_EQ(server.lists_read, 2);
    server.in_progress = {};
    for (int time = 0; time < 2; time++) EXPECT_EQ(server.settle().held_by, HeldBy::none);
    EXPECT_TRUE(server.old_ended);
    EXPECT_EQ(server.lists_read, 3);
}

TEST(Settled, PlacesOfPreparedTransactionsAreUsedAgain) {
    TestServer server;
    server.in_progress = {1, 2, 3};
    for (std::uint32_t xid : server.in_progress) EXPECT_TRUE(server.keep({xid, 1, 5000}));
    EXPECT_FALSE(server.keep({4, 1, 5000})) << "all are in use";
    server.in_progress = {1, 3, 4};
    EXPECT_TRUE(server.keep({4, 1, 4000}));
    EXPECT_EQ(server.settle().holder, 4u);
    EXPECT_EQ(server.prepared[0].xid, 1u);
    EXPECT_EQ(server.prepared[2].xid, 3u);
}

TEST(Settled, IsLiftedToTheClockAndNeverFarBeyondTheHorizon) {
    Horizon horizon{};
    NoLock lock;
    EXPECT_EQ(lift_settled(horizon, lock, 5000).settled_ms, 0) << "nothing durable";
    horizon.durable_ms = 9000;
    EXPECT_EQ(lift_settled(horizon, lock, 5000).settled_ms, 5000);
    EXPECT_EQ(lift_settled(horizon, lock, 4000).settled_ms, 5000) << "a clock that was set back";
    EXPECT_EQ(lift_settled(horizon, lock, 31536000000).settled_ms, 10000) << "a clock that is a year ahead";
}

TEST(Settled, IsForgottenWithTheDatabaseAndLoweredByAReset) {
    Horizon horizon{};
    NoLock lock;
    horizon.durable_ms = 9000;
    lift_settled(horizon, lock, 5000);
    DurableRecord record{};
    record.value = 3000;
    note_reset(horizon, record);
    EXPECT_EQ(horizon.settled_ms, 3000);
    record.value = 8000;
    note_reset(horizon, record);
    EXPECT_EQ(horizon.settled_ms, 3000) << "a reset does not settle anything";
    forget(horizon);
    EXPECT_EQ(horizon.settled_ms, 0);
}

TEST(Settled, AResetBesideAReaderLeavesNothingAboveIt) {
    DurableRecord record{};
    record.value = 3000;
    for (int round = 0; round < 2000; round++) {
        Horizon horizon{};
        horizon.durable_ms = 9000;
        ThreadLock lock;
        std::thread reader([&] { lift_settled(horizon, lock, 8000); });
        {
            Guard guard(lock);
            note_reset(horizon, record);
        }
        reader.join();
        ASSERT_LE(horizon.settled_ms, 3000 + longest_tick_ms) << round;
    }
}

TEST(Settled, TheIdIsTheFirstOfItsTick) {
    for (const char *layout : {"instagram", "sonyflake"}) {
        Packing p = packing_of(layout);
        std::int64_t unit_ms = p.unit_us / 1000, epoch_ms = ms_down(p.epoch_us), at_ms = epoch_ms + 123456 * unit_ms;
        std::int64_t first = settled_id(p, until_end(at_ms));
        EXPECT_EQ(tick_of(p, us_of(at_ms)), 123456);
        EXPECT_EQ(first, pack(p, 123456, 0, 0));
        EXPECT_EQ(settled_id(p, until_end(at_ms + unit_ms - 1)), first) << "up to the end of the tick";
        EXPECT_LT(pack(p, 123455, p.shard_last, p.sequence_last), first) << "all before are below";
        EXPECT_EQ(settled_id(p, until_end(epoch_ms - 1)), 0) << "before the epoch none";
        EXPECT_EQ(settled_id(p, none_settled), 0);
        EXPECT_EQ(settled_id(p, until_start(at_ms)), first) << "every tick that starts before it";
        EXPECT_EQ(settled_id(p, until_start(at_ms + 1)), pack(p, 123457, 0, 0)) << "also the one that it lies in";
        EXPECT_EQ(settled_id(p, until_end(ms_up(start_of(p, p.tick_end)))), INT64_MAX) << "after the end all";
    }
}

TEST(Settled, TheIdIsThatOfAShortTick) {
    const std::string hundred = "epoch=1970-01-01 unit=100us time=45 shard=10 sequence=8";
    const std::string odd = "epoch=1970-01-01 unit=1500us time=42 shard=10 sequence=8";
    const std::string one = "epoch=1970-01-01 unit=1us time=53 shard=10";
    const struct {
        std::string layout;
        std::int64_t until, tick;
    } cases[] = {
        {hundred, until_end(5000), 50000}, {hundred, until_start(5000), 50000}, {hundred, until_end(5001), 50010},
        {one, until_end(5000), 5000000},   {one, until_start(5000), 5000000},   {odd, until_end(5001), 3334},
        {odd, until_start(5001), 3334},    {odd, until_end(5002), 3334},        {odd, until_start(5002), 3335},
        {odd, until_end(5003), 3335},      {odd, until_start(5003), 3336},      {odd, until_end(5004), 3336},
        {odd, until_start(5004), 3336},    {hundred, until_end(1), 10},         {odd, until_start(1), 1},
    };
    for (const auto &c : cases) {
        Packing p = packing_of(c.layout);
        EXPECT_EQ(settled_id(p, c.until), lowest_id(p, c.tick)) << c.layout << ' ' << c.until;
    }
}

// By the words of `until`, for the ticks around it.
TEST(Settled, TheIdIsAboveExactlyWhatIsSettled) {
    Random random(81);
    for (const char *text :
         {"epoch=1970-01-01 unit=1us time=53 shard=10", "epoch=2026-01-01 unit=100us time=45 shard=10 sequence=8",
          "epoch=2026-01-01 unit=1500us time=42 shard=10 sequence=8", "epoch=1999-12-31 unit=999us time=40 shard=4",
          "epoch=1970-01-01 unit=65537us time=40 shard=4", "instagram", "sonyflake", "js53"}) {
        Packing p = packing_of(text);
        for (int i = 0; i < 2000; i++) {
            std::int64_t ms = ms_down(p.epoch_us) + random.between(0, 1000000);
            for (std::int64_t tick = std::max<std::int64_t>(tick_of(p, us_of(ms)) - 2, 0), end = tick + 5; tick < end;
                 tick++) {
                bool is_over = start_of(p, tick + 1) <= us_of(ms), has_begun = start_of(p, tick) < us_of(ms);
                ASSERT_EQ(highest_id(p, tick) < settled_id(p, until_end(ms)), is_over) << text << ' ' << ms;
                ASSERT_EQ(lowest_id(p, tick) >= settled_id(p, until_end(ms)), !is_over) << text << ' ' << ms;
                ASSERT_EQ(highest_id(p, tick) < settled_id(p, until_start(ms)), has_begun) << text << ' ' << ms;
                ASSERT_EQ(lowest_id(p, tick) >= settled_id(p, until_start(ms)), !has_begun) << text << ' ' << ms;
            }
        }
    }
}

}  // namespace
}  // namespace idgen
