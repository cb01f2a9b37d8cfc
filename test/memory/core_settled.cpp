// What is settled: draws that announce, and readers by ID; and what their looks found, for queries that ask later.
#include "core/draw/moves.hpp"
#include "core_world.hpp"

namespace idgen::explored {

namespace {

// Ticks of 100 us.
constexpr Layout short_layout{0, 100, 45, 0, 4, 2, Layout::unit_in_us, 0};

// When the tick starts at which the draw may begin, us.
std::int64_t announce_from(std::uint32_t transaction, std::int64_t start_us, const Packing &ticks = p) {
    Announced own{};
    std::int64_t base = announce(world.entry, own, database().horizon, database_number, {70, transaction}, ticks,
                                 tick_of(ticks, start_us), NoPause{});
    return start_of(ticks, base);
}

// The transactions of one process, as src/pg/reading/settled.cpp asks for them.
struct Transactions {
    bool is_in(std::uint32_t, const LocalTransaction &transaction) const {
        return world.transaction.load(std::memory_order_relaxed) == transaction.number;
    }
    bool is_in_progress(std::uint32_t) const { return true; }
    template <class Visit>
    void for_each_old(Visit) const {}
};

// Up to where all is settled, us.
std::int64_t settle() {
    std::int64_t settled_ms = lift_settled(database().horizon, database().pairs.mutex(), now + 10).settled_ms;
    Transactions transactions;
    Announcements<Lock> all{&world.entry, 1, world.prepared, 1};
    return us_of(gather(settled_ms, all, database_number, transactions, NoPause{}).until_ms);
}

// A transaction has announced its draw before.
struct HasAnnounced : CoreProgram {
    void prepare() override {
        prepare_slot();
        world.transaction = 7;
        announce_from(7, us_of(now));
    }
};

// A draw announces and looks at S; a reader lifts S and looks at what is announced. Also of a tick that starts within a
// ms: its announcement is the ms.
template <bool is_short>
struct Settling : CoreProgram {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = settle();
            return;
        }
        world.transaction.store(7, std::memory_order_relaxed);
        constexpr Packing ticks = is_short ? packing_of(short_layout) : p;
        world.noted[0] = announce_from(7, us_of(now) + (is_short ? 300 : 0), ticks);
    }
    bool is_right() override { return world.noted[1] <= world.noted[0]; }
};

// The same of the next transaction: who passes over the first one sees, from then on, that it has ended.
struct EndingBeside : HasAnnounced {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = settle();
            Guard<Lock> guard(world.process_lock);
            world.noted[2] = world.has_committed;
            return;
        }
        {
            Guard<Lock> guard(world.process_lock);
            world.has_committed = true;
            world.transaction.store(0, std::memory_order_relaxed);
        }
        world.transaction.store(8, std::memory_order_relaxed);
        world.noted[0] = announce_from(8, us_of(now + 1));
    }
    bool is_right() override {
        return (world.noted[2] != 0 || world.noted[1] <= us_of(now)) && world.noted[1] <= world.noted[0];
    }
};

// A transaction that is prepared leaves its process, and is found at one of the two places.
struct Preparing : HasAnnounced {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = settle();
            return;
        }
        PreparedAnnouncement announcement = announcement_of(world.entry, {}, database_number, {70, 7}, 100);
        {
            Guard<Lock> guard(world.prepared_lock);
            hand_over(world.prepared, 1, announcement, [](std::uint32_t) { return true; });
        }
        world.transaction.store(0, std::memory_order_relaxed);
    }
    bool is_right() override { return world.noted[1] <= us_of(now); }
};

}  // namespace

void explore_settled() {
    const auto &entry = world.entry;
    explore<Settling<false>>(
        "settled",
        {{"the draw has no fence", no_fence(0), true},
         {"the reader has no fence", no_fence(1), false},
         {"the reader has no fence and reads relaxed", no_fence(1), true, relaxed(Kind::load, &entry.transaction)},
         {"the transaction is written relaxed", relaxed(Kind::store, &entry.transaction), false},
         {"the transaction is read relaxed", relaxed(Kind::load, &entry.transaction), false}});
    explore<Settling<true>>("settled, short ticks", {{"the draw has no fence", no_fence(0), true},
                                                     {"the reader has no fence", no_fence(1), false}});
    explore<EndingBeside>(
        "next transaction",
        {{"the draw has no fence", no_fence(0), true},
         {"the reader has no fence", no_fence(1), false},
         {"the reader has no fence and reads relaxed", no_fence(1), true, relaxed(Kind::load, &entry.transaction)},
         {"the processes' lock orders nothing", relaxed(Kind::lock, &world.process_lock), true},
         {"the transaction is written relaxed", relaxed(Kind::store, &entry.transaction), false},
         {"the start is written relaxed", relaxed(Kind::store, &entry.start_ms), false}});
    explore<Preparing>("prepared", {{"the hand-over has no fence", no_fence(0), true},
                                    {"the reader has no fence", no_fence(1), true}});
}

// What the looks found; and a reset beside them.
namespace {

SettledPairs<Lock> &pairs() {
    return database().pairs;
}

// A pair takes the place of another while a query looks for one: it finds the old or the new one, never half of each.
struct Finding : CoreProgram {
    void prepare() override {
        prepare_slot();
        pairs().add({10, now + 10}, 0);
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = pairs().find(16);
            return;
        }
        std::uint32_t drops = pairs().drops();
        pairs().add({15, now + 20}, drops);
        pairs().add({12, now + 30}, drops);
    }
    bool is_right() override {
        return world.noted[1] == now + 10 || world.noted[1] == now + 20 || world.noted[1] == now + 30;
    }
};

// A horizon is lowered beside a look: neither S nor any pair stays above it.
struct Resetting : CoreProgram {
    void run(int thread) override {
        if (thread == 1) {
            std::uint32_t drops = pairs().drops();
            LiftedTo to = lift_settled(database().horizon, pairs().mutex(), now + 900);
            std::int64_t until = until_of(to.settled_ms, to.durable_ms);
            pairs().add({20, until}, drops);
            return;
        }
        Guard<Lock> renewals(world.renewal_lock);
        {
            Guard<Lock> guard(pairs().mutex());
            note_reset(database().horizon, bare_record(now + 100, 77));
        }
        pairs().drop();
    }
    bool is_right() override {
        return database().horizon.settled_ms.load() <= now + 100 + longest_tick_ms &&
               pairs().find(21) <= until_start(now + 100);
    }
};

// One that is not forced goes on above what a reader was told, whichever is first.
struct ResettingAbove : CoreProgram {
    struct Host {
        static Database &database() { return explored::database(); }
    };
    void run(int thread) override {
        if (thread == 1) {
            LiftedTo to = lift_settled(database().horizon, pairs().mutex(), now + 900);
            world.noted[1] = ms_of_until(until_of(to.settled_ms, to.durable_ms));
            return;
        }
        Guard<Lock> renewals(world.renewal_lock);
        ServerView server{};
        AcceptedClock accepted{};
        ResetMove move{server, accepted, now + 100, false, {}, 0, true};
        PageVerdict verdict{true, {}, bare_record(now + 100, 77)};
        Host host;
        move.agree(host, verdict.record, verdict);
        world.noted[0] = verdict.record.value;
        Guard<Lock> guard(pairs().mutex());
        note_reset(database().horizon, verdict.record);
    }
    bool is_right() override { return world.noted[1] <= world.noted[0]; }
};

}  // namespace

void explore_pairs() {
    const Horizon &horizon = world.databases[0].horizon;
    const Lock *mutex = &world.databases[0].pairs.mutex();
    explore<Finding>("pairs", {{"no lock is taken to add one", left_out(Kind::lock, mutex, 0), true},
                               {"no lock is taken to find one", left_out(Kind::lock, mutex, 1), true},
                               {"the lock orders nothing", relaxed(Kind::lock, mutex), true}});
    explore<Resetting>("reset beside readers",
                       {{"no lock is taken for the pairs", left_out(Kind::lock, mutex), true},
                        {"H is read relaxed", relaxed(Kind::load, &horizon.durable_ms), false},
                        {"S is read relaxed", relaxed(Kind::load, &horizon.settled_ms), false}});
    explore<ResettingAbove>("reset above readers",
                            {{"a reader takes no lock to lift S", left_out(Kind::lock, mutex, 1), true},
                             {"a reset takes none to look at S", left_out(Kind::lock, mutex, 0), true}});
}

}  // namespace idgen::explored
