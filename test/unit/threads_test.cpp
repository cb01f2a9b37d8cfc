// What sessions of a server do at once, with real threads. Built twice: plain, and with ThreadSanitizer, which sees a
// field without its lock also if nothing goes wrong.
#include "threads.hpp"
#include "core/draw/moves.hpp"

#include <memory>

#include "support.hpp"

namespace idgen {
namespace {

struct Threads : testing::Test {
    static constexpr int sessions = 4;
    ThreadServer server;
    std::unique_ptr<ThreadSession> drawing[sessions];
    std::atomic<int> drawing_count{sessions};

    void begin(ShardRange pool) {
        for (std::uint32_t i = 0; i < sessions; i++) drawing[i] = std::make_unique<ThreadSession>(server, i, pool);
    }
    void draw(int number, int times) {
        Drawn drawn{};
        for (int i = 0; i < times; i++) drawing[number]->draw(static_cast<std::uint32_t>(i % 5 + 1), drawn);
        drawing_count--;
    }
    // Has one more thread do something else until all have drawn.
    template <class Meanwhile>
    void draw_all(int times, Meanwhile meanwhile) {
        drawing_count = sessions;
        run_threads(sessions + 1, [&](int number) {
            if (number < sessions) return draw(number, times);
            do meanwhile();
            while (drawing_count.load() != 0);
        });
    }
    void expect_each_once(std::size_t at_least) {
        std::vector<std::int64_t> all;
        for (auto &session : drawing) {
            EXPECT_EQ(session->broken, 0);
            all.insert(all.end(), session->ids.begin(), session->ids.end());
        }
        EXPECT_GE(all.size(), at_least);
        EXPECT_EQ(repeated(all), 0);
    }
};

TEST_F(Threads, TakeEachIdOfOneShardOnce) {
    begin({3, 3});
    draw_all(20000, [] { std::this_thread::yield(); });
    expect_each_once(sessions * 20000);
    EXPECT_GT(server.database->durable_ms.load(), first_ms) << "renewed";
}

TEST_F(Threads, DrawUpwardsFromAPool) {
    begin({1, 3});
    draw_all(20000, [] { std::this_thread::yield(); });
    expect_each_once(sessions * 20000);
}

// Six shards and four slots: each is taken back from sessions that still refer to it. How often, is up to the machine:
// they draw until it was often enough.
TEST_F(Threads, TakeSlotsBackFromEachOther) {
    begin({0, 5});
    auto taken_back = [this] {
        std::uint32_t count = 0;
        for (auto &entry : server.entries) count += entry.generation;
        return count;
    };
    std::size_t rounds = 0;
    for (; taken_back() <= 100 && rounds < 100; rounds++) draw_all(10000, [this] { server.wait(); });
    expect_each_once(sessions * 10000 * rounds);
    EXPECT_GT(taken_back(), 100u);
}

// What a move by hand asks for.
struct ThreadMove : ThreadPage {
    ThreadServer &server;
    void lock_patiently() { entry.renewal_lock.lock(); }
    void unlock() { entry.renewal_lock.unlock(); }
    ThreadDatabase &database() const noexcept { return entry; }
    template <class Visit>
    void in_directory(Visit visit) const {
        std::lock_guard<std::shared_mutex> guard(server.lock);
        auto directory = server.directory();
        visit(directory);
    }
    void wait_for_standbys() noexcept {}
    std::int64_t clock_difference_ms() const noexcept { return 0; }
    static std::int64_t number_begins_ms(std::uint32_t) noexcept { return 0; }
};

// A reset goes above the last ID, whoever draws meanwhile: in the ms of that ID, or after a mistaken advance.
TEST_F(Threads, DrawWhileTheHorizonIsReset) {
    begin({2, 3});
    int resets = 0;
    draw_all(20000, [&] {
        ThreadMove host{{*server.database}, server};
        if (resets % 2 == 1) move_by_hand(host, AdvanceMove{thread_view(server.clock_ms), server.clock_ms + 20});
        Outcome outcome = move_by_hand(host, ResetMove{thread_view(server.clock_ms), server.accepted, 0, false, {}, 0});
        EXPECT_EQ(outcome.renewal, Renewal::granted);
        resets++;
        std::this_thread::yield();
    });
    EXPECT_GT(resets, 0);
    expect_each_once(sessions * 20000);
}

// CREATE EXTENSION begins the horizon at what it has seen, which is below what was granted. No ID that is handed out
// may lie above that: hand_out() of a session compares.
TEST_F(Threads, DrawWhileTheHorizonIsCreatedAgain) {
    begin({2, 3});
    draw_all(20000, [this] {
        ThreadDatabase &database = *server.database;
        {
            std::lock_guard<std::mutex> renewals(database.renewal_lock);
            std::shared_lock<std::shared_mutex> guard(server.lock);
            database.write(begin_horizon(server.directory(), database, min_horizon_ms, {77, false}));
        }
        std::this_thread::yield();
    });
    expect_each_once(sessions * 20000);
}

TEST(OneSession, ForgetsWhatItDrewBeforeAReset) {
    ThreadServer server;
    ThreadSession session(server, 0, {1, 1});
    Drawn drawn{};
    server.clock_ms = first_ms + 100000;
    ASSERT_TRUE(session.draw(1, drawn));
    EXPECT_EQ(drawn.start_ms, first_ms + 100000) << "by a wrong clock";
    server.clock_ms = first_ms + 10;
    ThreadMove host{{*server.database}, server};
    move_by_hand(host, ResetMove{thread_view(first_ms + 10), server.accepted, first_ms + 10, true, {}, 0});
    ASSERT_TRUE(session.draw(1, drawn));
    EXPECT_EQ(drawn.start_ms, first_ms + 10);
}

struct UnflushedPage : ThreadPage {
    bool is_flushed(std::uint64_t) const noexcept { return false; }
};

TEST(OneSession, CountsAPageAsDurableOnceItIsFlushed) {
    ThreadServer server;
    ThreadDatabase &database = *server.database;
    ServerView view = thread_view(first_ms);
    UnflushedPage unflushed{{database}};
    ReadRenewal<ThreadDatabase> first{{database.horizon, server.accepted, view, 0}, database};
    idgen::renew(unflushed, first);
    EXPECT_TRUE(database.horizon.record.is_loaded);
    EXPECT_EQ(database.horizon.durable_ms, 0);
    ThreadServer other;
    ReadRenewal<ThreadDatabase> second{{other.database->horizon, other.accepted, view, 0}, *other.database};
    ThreadPage page{*other.database};
    idgen::renew(page, second);
    EXPECT_EQ(other.database->horizon.durable_ms, first_ms);
}

TEST_F(Threads, DrawAboveWhereTheHorizonWasMovedTo) {
    begin({2, 3});
    std::vector<std::int64_t> late;
    std::atomic<std::int64_t> advanced_ms{0};
    run_threads(sessions + 1, [&](int number) {
        if (number == sessions) {
            for (int i = 0; i < 200; i++) {
                std::int64_t at_ms = server.clock_ms.load() + 20;
                ThreadMove host{{*server.database}, server};
                move_by_hand(host, AdvanceMove{thread_view(at_ms), at_ms});
                advanced_ms = at_ms;
            }
            return;
        }
        Drawn drawn{};
        for (int i = 0; i < 20000; i++) {
            std::int64_t at_ms = advanced_ms.load();
            drawing[number]->draw(2, drawn);
            drawing[number]->broken += drawn.start_ms < at_ms;
        }
    });
    expect_each_once(sessions * 20000);
}

// What the directory may do between two steps of a renewal.
TEST(ThreadsOfHorizon, ASlotTakenBackLiftsTheFloorDuringARenewal) {
    Horizon horizon{};
    note_written(horizon, bare_record(first_ms, 77), 1);
    ASSERT_TRUE(may_renew(horizon, first_ms));
    lift(horizon.floor_ms, first_ms + 5);
    EXPECT_EQ(renewed_ms(horizon, first_ms, first_ms, {50, 100, 10}), first_ms + 55);
}

TEST(ThreadsOfGenerators, GiveEachCounterOfEachGeneratorOnce) {
    constexpr int times = 20000;
    Generators generators{};
    std::mutex renewal_lock;
    DurableRecord page = bare_record(0, 77);
    std::vector<std::int64_t> taken[4];
    run_threads(4, [&](int number) {
        ServerView view = thread_view(first_ms);
        while (taken[number].size() < times) {
            GeneratorCount count{};
            if (generators.counter.take(count)) {
                taken[number].push_back(std::int64_t{count.generator} << 32 | count.counter);
                continue;
            }
            std::lock_guard<std::mutex> guard(renewal_lock);
            GeneratorRenewal renewal{generators, view};
            if (renewal.begin() == RenewalStep::done) continue;
            page = renewal.judge(page).record;
            renewal.note_written(page, 1);
            generators.counter.begin(static_cast<std::uint32_t>(page.value), last_counter - 100);
            generators.record.pending = 0;
        }
    });
    std::vector<std::int64_t> all;
    for (auto &mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    EXPECT_EQ(repeated(all), 0);
    EXPECT_GE(page.value, 4 * times / 100) << "each generator has 100 counters here";
}

}  // namespace
}  // namespace idgen
