// What goes on beside sessions that draw, with real threads: the keeper of their number, and readers by ID.
#include <gtest/gtest.h>

#include <memory>

#include "core/draw/moves.hpp"
#include "registry/node/rules/lease.hpp"
#include "threads.hpp"

namespace idgen {
namespace {

// Sessions that draw from a number of a registry while the keeper claims, extends and gives it up, with real threads.

constexpr std::uint32_t number = 5;
constexpr LeaseRules lease_rules{200, 0, 100};
constexpr RegistryIdentity registry{1, 2};

// The keeper's steps in its order, and the registry's row. What another server makes of the number in between begins at
// R.
struct ThreadKeeper {
    ThreadServer &server;
    Lease lease{};
    std::mutex lock;  // of the lease
    LeaseRecord record = no_number(registry, 77);
    std::int64_t registered_ms = first_ms;  // R
    std::int64_t last_incarnation = 0;
    std::vector<std::int64_t> of_others{};

    explicit ThreadKeeper(ThreadServer &at) : server(at) { begin_life(lease, 99); }
    ThreadKeeper(const ThreadKeeper &) = delete;

    ClockReading clock() const { return {server.clock_ms.load(), 0}; }

    void claim() {
        record = propose(no_number(registry, 77), registry, 77, number, ++last_incarnation);
        answer([this] { return ask_claim(lease, record, clock()); });
        move_number();
    }
    void extend() {
        answer([this] { return ask_extend(lease, clock(), lease_rules); });
    }
    void give_up() {
        {
            std::lock_guard<std::mutex> guard(lock);
            end_issue(lease);
        }
        std::int64_t reached_ms = 0;
        {
            std::shared_lock<std::shared_mutex> guard(server.lock);
            reached_ms = server.directory().reached_ms();
        }
        answer([this, reached_ms] {
            note_drained(lease);
            return ask_stop(lease, reached_ms, clock());
        });
        Packing p = packing_of(thread_layout);
        for (std::int64_t end_ms = registered_ms + 3; registered_ms < end_ms; registered_ms++)
            of_others.push_back(pack(p, tick_of(p, us_of(registered_ms)), number, 0));
        std::lock_guard<std::mutex> guard(lock);
        begin_life(lease, 99);
    }

   private:
    void move_number() {
        std::lock_guard<std::shared_mutex> guard(server.lock);
        server.directory().move_number(number, lease.claimed_ms.load());
    }
    template <class Ask>
    void answer(Ask ask) {
        std::lock_guard<std::mutex> guard(lock);
        LeaseCall call = ask();
        if (call.kind != CallKind::claim) registered_ms = call.to_ms;
        CallAnswer granted{CallOutcome::granted, registered_ms};
        take_in(lease, record, call, granted, clock(), rules_for(lease_rules, LeaseFor::number));
    }
};

TEST(ThreadsOfLeases, DrawFromANumberThatComesAndGoes) {
    constexpr int sessions = 3, times = 20000;
    ThreadServer server;
    ThreadKeeper keeper(server);
    std::unique_ptr<ThreadSession> drawing[sessions];
    for (std::uint32_t i = 0; i < sessions; i++) {
        drawing[i] = std::make_unique<ThreadSession>(server, i, ShardRange{number, number});
        drawing[i]->source.held = &keeper.lease;
    }
    std::atomic<int> drawing_count{sessions};
    std::atomic<std::int64_t> drawn_count{0};
    run_threads(sessions + 1, [&](int self) {
        if (self < sessions) {
            Drawn drawn{};
            for (int i = 0; i < times; i += drawing[self]->draw(2, drawn) ? 1 : 0) {
                drawn_count++;
                server.wait();
                std::this_thread::yield();
            }
            drawing_count--;
            return;
        }
        while (drawing_count.load() != 0) {
            keeper.claim();
            for (int i = 0; i < 3; i++) {
                keeper.extend();
                for (std::int64_t until = drawn_count.load() + 20; drawn_count.load() < until;) {
                    if (drawing_count.load() == 0) break;
                    std::this_thread::yield();
                }
            }
            keeper.give_up();
        }
    });
    std::vector<std::int64_t> all = keeper.of_others;
    for (auto &session : drawing) {
        EXPECT_EQ(session->broken, 0);
        all.insert(all.end(), session->ids.begin(), session->ids.end());
    }
    EXPECT_EQ(repeated(all), 0);
    EXPECT_GT(keeper.last_incarnation, 20);
}

// Readers by ID beside transactions that draw, commit and are prepared, with real threads.

constexpr std::uint32_t drawers = 3, readers = 2, transactions = 1000, answers = 2000;
constexpr std::int64_t drew_none = INT64_MAX;

// A transaction of a process, or one that it has prepared.
struct ThreadTransaction {
    std::atomic<std::uint32_t> number{0};          // 0: none is in progress
    std::atomic<std::int64_t> drew_ms{drew_none};  // where it drew first, for the readers to compare

    void end() {
        drew_ms = drew_none;
        number = 0;
    }
};

// What the core asks of the server is_in() and so on.
struct ThreadTransactions {
    static constexpr std::uint32_t room = 2 * drawers;
    ThreadServer server{};
    ThreadTransaction running[drawers]{}, prepared[drawers]{};
    ProcessEntry<ThreadLock> entries[drawers]{};
    std::mutex prepared_lock{};  // of the writers
    PreparedEntry handed_over[room]{};
    std::atomic<std::int64_t> answered_ms{0};

    bool is_in(std::uint32_t process, const LocalTransaction &transaction) const {
        return running[process].number.load() == transaction.number;
    }
    bool is_in_progress(std::uint32_t xid) const { return prepared[xid % drawers].number.load() == xid; }
    template <class Visit>
    void for_each_old(Visit) const {}

    // Asks as idgen.settled() does. True if a transaction that drew below the answer has not ended.
    bool settle() {
        std::int64_t settled_ms =
            lift_settled(server.database->horizon, server.database->pairs.mutex(), server.clock_ms.load()).settled_ms;
        Announcements<ThreadLock> all{entries, drawers, handed_over, room};
        std::int64_t until_ms = gather(settled_ms, all, our_database, *this, NoPause{}).until_ms;
        lift(answered_ms, until_ms);
        bool is_broken = false;
        for (ThreadTransaction &transaction : running) is_broken |= transaction.drew_ms.load() < until_ms;
        for (ThreadTransaction &transaction : prepared) is_broken |= transaction.drew_ms.load() < until_ms;
        return is_broken;
    }
};

// A process that draws.
struct ThreadDrawer {
    ThreadTransactions &all;
    std::uint32_t process;
    ThreadSession session{all.server, process, ShardRange{process, process}};
    int broken = 0;

    ThreadDrawer(ThreadTransactions &of, std::uint32_t number) : all(of), process(number) {
        session.running = &mine().number;
        session.announcing = [this](const Packing &p, std::int64_t base) {
            LocalTransaction transaction{process, mine().number.load()};
            const Horizon &horizon = all.server.database->horizon;
            return announce(all.entries[process], session.own, horizon, our_database, transaction, p, base, NoPause{});
        };
    }

    void run(std::uint32_t number) {
        mine().number = number;
        for (std::uint32_t draws = 0; draws <= number % 3; draws++) draw();
        if (number % 4 == 0) prepare(number);
        mine().end();
    }
    void finish_prepared() { all.prepared[process].end(); }

   private:
    ThreadTransaction &mine() { return all.running[process]; }

    // Who answered before this draw was to be seen is compared here, who answers later compares.
    void draw() {
        Drawn drawn{};
        session.draw(3, drawn);
        mine().drew_ms = std::min(mine().drew_ms.load(), drawn.start_ms);
        broken += drawn.start_ms < all.answered_ms.load();
        std::this_thread::yield();
    }
    // As PREPARE TRANSACTION does.
    void prepare(std::uint32_t number) {
        finish_prepared();
        std::uint32_t xid = number * drawers + process;
        all.prepared[process].drew_ms = mine().drew_ms.load();
        all.prepared[process].number = xid;
        PreparedAnnouncement announcement =
            announcement_of(all.entries[process], session.own, our_database, {process, number}, xid);
        std::lock_guard<std::mutex> guard(all.prepared_lock);
        broken += !hand_over(all.handed_over, ThreadTransactions::room, announcement,
                             [this](std::uint32_t other) { return all.is_in_progress(other); });
    }
};

TEST(ThreadsOfSettled, NoTransactionThatDrewBelowTheAnswerGoesOn) {
    ThreadTransactions all;
    std::vector<std::unique_ptr<ThreadDrawer>> drawing;
    for (std::uint32_t i = 0; i < drawers; i++) drawing.push_back(std::make_unique<ThreadDrawer>(all, i));
    std::atomic<std::uint32_t> answered{0};
    std::atomic<std::uint32_t> running{drawers};
    std::atomic<int> broken{0};
    run_threads(drawers + readers, [&](int self) {
        auto number = static_cast<std::size_t>(self);
        if (number < drawers) {
            for (std::uint32_t i = 1; i <= transactions || answered.load() < answers; i++) drawing[number]->run(i);
            drawing[number]->finish_prepared();
            running--;
            return;
        }
        for (; running.load() != 0; answered++) broken += all.settle();
    });
    for (auto &drawer : drawing) EXPECT_EQ(drawer->broken, 0);
    EXPECT_EQ(broken.load(), 0);
    EXPECT_FALSE(all.settle());
    EXPECT_GT(all.answered_ms.load(), first_ms);
}

}  // namespace
}  // namespace idgen
