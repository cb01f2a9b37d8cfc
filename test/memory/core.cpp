// The atomics of src/core, as what src/pg calls uses them: each program calls the shipped functions in the order of src/pg,
// under its locks. Weakened in one place, a program must fail if that order is needed; docs/memory-order.md has the reasons.
#include <new>

#include "core/durable/renewal.hpp"
#include "core/issue/draw_steps.hpp"
#include "core/issue/settled.hpp"
#include "core/lease/lease.hpp"
#include "report.hpp"

namespace {

using namespace idgen;
using explorer::Kind;
using explorer::Lock;
using explorer::Weakening;
using Entry = SlotEntry<Lock>;

constexpr std::int64_t now = 1795000000000;  // the clock
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};
constexpr Packing p = packing_of(layout);
constexpr DrawRules rules{100, 1000, false, false};
constexpr std::uint32_t database_number = 11, shard = 5;

struct Database : DatabaseEntry {
    void forget_more() noexcept {}
};

// What the processes of a server share, and what the threads of a program note.
struct World {
    Lock renewal_lock, directory_lock, prepared_lock, lease_lock, process_lock;
    DirectoryState state{};
    Entry entries[1] = {};
    Database databases[1]{};
    std::int32_t buckets[1] = {};
    AcceptedClock accepted{};
    DurableRecord page = bare_record(now, 77);
    Lease lease{};
    LeaseRecord lease_record = no_number({1, 2}, 77);
    Announcement<Lock> entry{};
    PreparedAnnouncement prepared[1]{};
    std::atomic<std::uint32_t> transaction{0};  // of the process; read and written as the server does, without an order
    bool has_committed = false;
    std::atomic<std::int64_t> lifted{0};
    SlotReference<Lock> slot{};
    std::int64_t noted[3] = {};
    Limits limits{};
};
alignas(64) unsigned char memory[sizeof(World)];
World &world = *reinterpret_cast<World *>(memory);

Directory<Lock, Database> directory() {
    return {world.state, world.entries, 1, world.databases, SlotIndex<Entry>(world.buckets, 1, world.entries)};
}
Database &database() {
    return world.databases[0];
}

struct LeaseRun {
    static void claim(std::int64_t number, std::int64_t horizon_ms) {
        world.lease_record = propose(no_number({1, 2}, 77), {1, 2}, 77, number, number + 20);
        take_answer(ask_claim(world.lease, world.lease_record, {now, 0}), horizon_ms);
    }
    static void take_answer(const LeaseCall &call, std::int64_t horizon_ms) {
        take_in(world.lease, world.lease_record, call, {CallOutcome::granted, horizon_ms}, {now, 0}, {1000, 0, 1000});
    }
    static void extend() { take_answer(ask_extend(world.lease, {now, 0}, {1000, 0, 1000}), 0); }
};

// A database with a slot, from which IDs may be made for a second.
void prepare_slot() {
    directory().clear();
    directory().enter(database_number, 1, false);
    note_flushed(database().horizon, bare_record(now + 1000, 77), 1);
    grant_pending(database().horizon);
    database().horizon.floor_ms = now;
    Shortage shortage;
    SlotKey key{key_of(layout), database_number, shard};
    world.slot = directory().obtain(database(), {key, layout, Claim::own, 1, now, 0}, shortage);
}

// Draws as a session does; when the tick starts, or 0.
std::int64_t draw(const Lease *lease) {
    DrawSource<Lock> source{};
    source.packing = p;
    source.shard = shard;
    source.slot = world.slot;
    source.lease = lease;
    const Horizon &horizon = database().horizon;
    Limits limits = limits_of(horizon, now, rules);
    Take taken{};
    bool is_answer = try_slot(source, limits, base_of(source, limits), 1, taken);
    if (!is_answer || taken.status != Take::Status::ok) return 0;
    return grant_for(horizon, taken.start_ms, 100) == Grant::over ? 0 : taken.start_ms;
}

std::int64_t announce_from(std::uint32_t transaction, std::int64_t start_ms) {
    Announced own{};
    return start_of(p, announce(world.entry, own, database().horizon, database_number, transaction, p,
                                tick_of(p, start_ms), NoPause{}));
}

// The transactions of one process, as src/pg/draw/settled.cpp asks for them.
struct Transactions {
    bool is_in(std::uint32_t, std::uint32_t transaction) const {
        return world.transaction.load(std::memory_order_relaxed) == transaction;
    }
    bool is_in_progress(std::uint32_t) const { return true; }
    void lock_prepared() { world.prepared_lock.lock(); }
    void unlock_prepared() { world.prepared_lock.unlock(); }
    template <class Visit>
    void for_each_old(Visit) const {}
};

std::int64_t settle() {
    std::int64_t settled_ms = lift_settled(database().horizon, now + 10);
    Transactions transactions;
    Announcements<Lock> all{&world.entry, 1, world.prepared, 1};
    return gather(settled_ms, all, database_number, transactions, NoPause{}).until_ms;
}

struct CoreProgram : explorer::Program {
    int threads() const override { return 2; }
    void begin() override {
        new (memory) World{};
        prepare();
    }
    virtual void prepare() { prepare_slot(); }
};

// A grant rests on the floor that was lifted before it.
struct Granting : CoreProgram {
    void prepare() override { world.page = bare_record(now + 50, 77); }
    static void renew(std::int64_t start_ms) {
        ServerView view{};
        view.identity = 77;
        view.clock = {now, 0};
        view.owner = {1, 2};
        view.admits_copy = view.admits_inherited = true;
        view.rules = {100, 100, 10};
        view.clock_rules = {1000, 1000};
        Guard<Lock> guard(world.renewal_lock);
        HorizonRenewal renewal{database().horizon, world.accepted, view, start_ms};
        PageVerdict verdict = renewal.judge(world.page);
        if (!verdict.is_to_write) return;
        renewal.note_flushed(verdict.record, 1);
        renewal.grant();
    }
    void run(int thread) override {
        if (thread == 1) {
            world.limits = limits_of(database().horizon, now, rules);
            return;
        }
        renew(now);
        renew(now + 50);
    }
    bool is_right() override { return world.limits.granted_ms == 0 || world.limits.floor_ms >= now + 50; }
};

struct Taking : CoreProgram {
    void run(int thread) override {
        Take taken = {};
        DrawSource<Lock> source{};
        source.packing = p;
        source.slot = world.slot;
        take_current(source, limits_of(database().horizon, now, rules), tick_of(p, now), 1, taken);
        world.noted[thread] = taken.sequence;
    }
    bool is_right() override { return world.noted[0] != world.noted[1]; }
};

// CREATE EXTENSION again: what rests on the old grant lies below the new H, or is not handed out.
struct Creating : CoreProgram {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = draw(nullptr);
            return;
        }
        Guard<Lock> renewals(world.renewal_lock);
        Guard<Lock> guard(world.directory_lock);
        world.page = begin_horizon(directory(), database(), min_horizon_ms, 77);
    }
    bool is_right() override { return world.noted[1] < world.page.value; }
};

// A number is given up at what was reached: nothing is drawn from there on.
struct GivingUp : CoreProgram {
    void prepare() override {
        prepare_slot();
        begin_life(world.lease, 99);
        LeaseRun::claim(shard, now);
        LeaseRun::extend();
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = draw(&world.lease);
            return;
        }
        {
            Guard<Lock> guard(world.lease_lock);
            end_issue(world.lease);
        }
        Guard<Lock> guard(world.directory_lock);
        world.noted[0] = directory().reached_ms();
    }
    bool is_right() override { return world.noted[1] < world.noted[0]; }
};

// The lease of a number is used again for another one, whose cap is higher.
struct UsingAgain : CoreProgram {
    void prepare() override {
        begin_life(world.lease, 99);
        LeaseRun::claim(shard, now);
        LeaseRun::extend();
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = cap_of(world.lease, shard);
            return;
        }
        Guard<Lock> guard(world.lease_lock);
        begin_life(world.lease, 99);
        LeaseRun::claim(shard + 1, now + 500);
        LeaseRun::take_answer(ask_extend(world.lease, {now + 5000, 0}, {1000, 0, 1000}), 0);
    }
    bool is_right() override { return world.noted[1] <= now + 1000; }
};

// A slot of a number that is claimed begins at R, whether the keeper finds it or its session finds R.
struct Claiming : CoreProgram {
    void prepare() override {
        directory().clear();
        directory().enter(database_number, 1, false);
        begin_life(world.lease, 99);
    }
    void run(int thread) override {
        if (thread == 1) {
            SlotKey key{key_of(layout), database_number, shard};
            SlotRequest request{key, layout, Claim::own, 1, now, 0};
            Shortage shortage;
            Guard<Lock> guard(world.directory_lock);
            request.claimed_ms = world.lease.claimed_ms.load();
            directory().obtain(database(), request, shortage);
            return;
        }
        {
            Guard<Lock> guard(world.lease_lock);
            LeaseRun::claim(shard, now + 100);
        }
        Guard<Lock> guard(world.directory_lock);
        directory().move_number(shard, world.lease.claimed_ms);
    }
    bool is_right() override { return world.entries[0].slot.tick + 1 >= tick_of(p, now + 100); }
};

// A slot is taken back from a session that refers to it: all that this one drew lies below the floor.
struct TakingBack : CoreProgram {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = draw(nullptr);
            return;
        }
        SlotKey key{key_of(layout), database_number, shard + 1};
        Shortage shortage;
        Guard<Lock> guard(world.directory_lock);
        directory().obtain(database(), {key, layout, Claim::own, 1, now + 10, 0}, shortage);
    }
    bool is_right() override { return world.noted[1] < database().horizon.floor_ms; }
};

// A draw announces and looks at S; a reader lifts S and looks at what is announced.
struct Settling : CoreProgram {
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = settle();
            return;
        }
        world.transaction.store(7, std::memory_order_relaxed);
        world.noted[0] = announce_from(7, now);
    }
    bool is_right() override { return world.noted[1] <= world.noted[0]; }
};

// The same of the next transaction: who passes over the first one sees, from then on, that it has ended.
struct EndingBeside : CoreProgram {
    void prepare() override {
        prepare_slot();
        world.transaction = 7;
        announce_from(7, now);
    }
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
        world.noted[0] = announce_from(8, now + 1);
    }
    bool is_right() override {
        return (world.noted[2] != 0 || world.noted[1] <= now) && world.noted[1] <= world.noted[0];
    }
};

// A transaction that is prepared leaves its process, and is found at one of the two places.
struct Preparing : CoreProgram {
    void prepare() override {
        prepare_slot();
        world.transaction = 7;
        announce_from(7, now);
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = settle();
            return;
        }
        PreparedAnnouncement announcement = announcement_of(world.entry, database_number, 7, 100);
        {
            Guard<Lock> guard(world.prepared_lock);
            hand_over(world.prepared, 1, announcement, [](std::uint32_t) { return true; });
        }
        world.transaction.store(0, std::memory_order_relaxed);
    }
    bool is_right() override { return world.noted[1] <= now; }
};

struct Counting : CoreProgram {
    int threads() const override { return 3; }
    void prepare() override { database().generators.counter.begin(1, last_counter - 2); }
    void run(int thread) override {
        GeneratorCount count{};
        if (database().generators.counter.take(count)) world.noted[thread] = count.counter;
    }
    bool is_right() override {
        std::int64_t sum = world.noted[0] + world.noted[1] + world.noted[2];
        return sum == 2 * std::int64_t{last_counter} - 1;
    }
};

struct Lifting : CoreProgram {
    int threads() const override { return 3; }
    void run(int thread) override { lift(world.lifted, thread == 1 ? 30 : 10 + thread); }
    bool is_right() override { return world.lifted == 30; }
};

// Who sees that a clock was confirmed sees how.
struct Confirming : CoreProgram {
    void prepare() override {
        forget(world.accepted);
        accept_up_to(world.accepted, 100);
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = accepted_for(world.accepted, 0, bare_record(now, 77), {1, 2});
            return;
        }
        confirm(world.accepted, 50);
    }
    bool is_right() override { return world.noted[1] == 100 || world.noted[1] == 50; }
};

// A program as it is, then weakened.
struct Weaker {
    const char *what;
    Weakening how;
    bool is_needed;
    Weakening also = {};
};

template <class Of>
void explore(const char *name, std::initializer_list<Weaker> weaker) {
    Of program;
    report(name, "as it is shipped", explorer::explore(program), false);
    for (const Weaker &each : weaker)
        report(name, each.what, explorer::explore(program, each.how, each.also), each.is_needed);
}

Weakening relaxed(Kind kind, const void *place) {
    return {kind, place, -1, false};
}
Weakening left_out(Kind kind, const void *place) {
    return {kind, place, -1, true};
}
Weakening no_fence(int thread) {
    return {Kind::fence, memory, thread, true};
}

void explore_draws() {
    const Horizon &horizon = database().horizon;
    const Lock *slot = &world.entries[0].mutex;
    explore<Granting>("grant", {{"the grant is read relaxed", relaxed(Kind::load, &horizon.granted_ms), true},
                                {"the grant is lifted relaxed", relaxed(Kind::update, &horizon.granted_ms), true},
                                {"the floor is read relaxed", relaxed(Kind::load, &horizon.floor_ms), false},
                                {"the floor is lifted relaxed", relaxed(Kind::update, &horizon.floor_ms), false}});
    explore<Taking>("take", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                             {"the slot's lock is left out", left_out(Kind::lock, slot), true}});
    explore<Creating>("creation", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                   {"the slot's lock is left out", left_out(Kind::lock, slot), true},
                                   {"the grant is ended relaxed", relaxed(Kind::store, &horizon.granted_ms), false},
                                   {"the grant is read relaxed", relaxed(Kind::load, &horizon.granted_ms), false}});
    explore<TakingBack>("slot taken back", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                            {"the slot's lock is left out", left_out(Kind::lock, slot), true}});
    explore<Counting>(
        "counter",
        {{"the counter is raised relaxed", relaxed(Kind::update, &database().generators.counter), false},
         {"the counter is raised in two steps", left_out(Kind::update, &database().generators.counter), true}});
    explore<Lifting>("lift", {{"lifted relaxed", relaxed(Kind::update, &world.lifted), false},
                              {"lifted in two steps", left_out(Kind::update, &world.lifted), true}});
    const AcceptedClock &clock = world.accepted;
    explore<Confirming>("clock",
                        {{"confirmations are counted relaxed", relaxed(Kind::update, &clock.confirmations), true},
                         {"confirmations are read relaxed", relaxed(Kind::load, &clock.confirmations), true},
                         {"the difference is written relaxed", relaxed(Kind::store, &clock.confirmed_ms), false}});
}

void explore_leases() {
    const Lease &lease = world.lease;
    const Lock *slot = &world.entries[0].mutex;
    explore<GivingUp>("end of a number", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                          {"the slot's lock is left out", left_out(Kind::lock, slot), true},
                                          {"the cap is ended relaxed", relaxed(Kind::store, &lease.cap_ms), false}});
    explore<UsingAgain>("another number",
                        {{"the cap is read relaxed", relaxed(Kind::load, &lease.cap_ms), true},
                         {"the cap is written relaxed", relaxed(Kind::store, &lease.cap_ms), true},
                         {"the number is written relaxed", relaxed(Kind::store, &lease.number), false}});
    explore<Claiming>("claim",
                      {{"the directory's lock orders nothing", relaxed(Kind::lock, &world.directory_lock), true},
                       {"the directory's lock is left out", left_out(Kind::lock, &world.directory_lock), true},
                       {"R is written relaxed", relaxed(Kind::store, &lease.claimed_ms), false}});
}

void explore_settled() {
    const auto &entry = world.entry;
    explore<Settling>(
        "settled",
        {{"the draw has no fence", no_fence(0), true},
         {"the reader has no fence", no_fence(1), false},
         {"the reader has no fence and reads relaxed", no_fence(1), true, relaxed(Kind::load, &entry.transaction)},
         {"the transaction is written relaxed", relaxed(Kind::store, &entry.transaction), false},
         {"the transaction is read relaxed", relaxed(Kind::load, &entry.transaction), false}});
    explore<EndingBeside>(
        "next transaction",
        {{"the draw has no fence", no_fence(0), true},
         {"the reader has no fence", no_fence(1), false},
         {"the reader has no fence and reads relaxed", no_fence(1), true, relaxed(Kind::load, &entry.transaction)},
         {"the processes' lock orders nothing", relaxed(Kind::lock, &world.process_lock), true},
         {"the transaction is written relaxed", relaxed(Kind::store, &entry.transaction), false},
         {"the start is written relaxed", relaxed(Kind::store, &entry.start_ms), false}});
    explore<Preparing>("prepared",
                       {{"the lock of the prepared orders nothing", relaxed(Kind::lock, &world.prepared_lock), true},
                        {"the lock of the prepared is left out", left_out(Kind::lock, &world.prepared_lock), true}});
}

}  // namespace

void explore_core() {
    explore_draws();
    explore_leases();
    explore_settled();
}
