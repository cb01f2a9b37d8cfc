// Readers by ID beside transactions that draw, commit and are prepared, with real threads.
#include <memory>

#include "core/draw/moves.hpp"
#include "threads.hpp"

namespace idgen {
namespace {

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
        std::int64_t settled_ms = lift_settled(server.database->horizon, server.clock_ms.load());
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
