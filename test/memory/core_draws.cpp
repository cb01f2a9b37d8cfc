// Draws, and what goes on beside them: renewals, a horizon that is created again, slots that are taken back, counters.
#include "core/draw/moves.hpp"
#include "core_world.hpp"

namespace idgen::explored {

namespace {

// A grant rests on the floor that was lifted before it.
struct Granting : CoreProgram {
    void prepare() override { world.page = bare_record(now + 50, 77); }
    static void renew(std::int64_t start_ms) {
        ServerView view{};
        view.identity = 77;
        view.clock = {now, 0};
        view.owner = {1};
        view.admits_copy = view.admits_inherited = true;
        view.rules = {100, 100, 10};
        view.clock_rules = {1000, 1000};
        ReadRenewal<Database> renewal{{database().horizon, world.accepted, view, start_ms}, database()};
        PageHost host;
        idgen::renew(host, renewal);
    }
    void run(int thread) override {
        if (thread == 1) {
            world.limits = limits_of(database().horizon, us_of(now));
            return;
        }
        renew(now);
        renew(now + 50);
    }
    bool is_right() override { return world.limits.granted_ms == 0 || world.limits.floor_ms >= now + 50; }
};

// A machine was copied: one session follows, another finds its source and draws. Whatever it draws as one of this machine
// rests on what was granted here, above what is owed.
struct Following : CoreProgram {
    void prepare() override {
        prepare_slot();
        world.page = bare_record(now + 1000, 77);
        world.machine = 1;
    }
    void run(int thread) override {
        if (thread == 1) {
            world.noted[1] = draw(nullptr);
            return;
        }
        ServerView view{};
        view.identity = 78;
        view.clock = {now, 0};
        view.machine = 1;
        view.owner = {1};
        view.admits_copy = view.admits_inherited = view.admits_resumed = true;
        view.rules = {100, 100, 10};
        view.clock_rules = {1000, 1000};
        // Loaded, then renewed for a tick at what is owed.
        for (std::int64_t start_ms : {std::int64_t{0}, now + 1000}) {
            if (start_ms != 0) view.clock.now_ms = start_ms;
            ReadRenewal<Database> renewal{{database().horizon, world.accepted, view, start_ms}, database()};
            PageHost host;
            idgen::renew(host, renewal);
        }
    }
    bool is_right() override { return world.noted[1] == 0 || world.noted[1] >= now + 1000; }
};

struct Taking : CoreProgram {
    void run(int thread) override {
        Take taken = {};
        DrawSource<Lock> source{};
        set_packing(source, p);
        source.slot = world.slot;
        Limits limits = limits_of(database().horizon, us_of(now));
        take_current(source, limits, make_tick(p, tick_of(p, us_of(now))), 1, taken, Complete{});
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
        world.page = begin_horizon(directory(), database(), min_horizon_ms, {77, false});
    }
    bool is_right() override { return world.noted[1] < world.page.value; }
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
        directory().obtain(database(), {key, layout, SlotUse::own, 1, now + 10, 0}, shortage);
    }
    bool is_right() override { return world.noted[1] < database().horizon.floor_ms; }
};

// A session finds the slot without a lock while it is taken back and given to another shard: it draws from it no more.
struct Finding : TakingBack {
    void run(int thread) override {
        if (thread == 0) return TakingBack::run(0);
        const auto all = directory();
        world.slot = all.find({key_of(layout), database_number, shard});
        if (world.slot.entry != nullptr) world.noted[1] = draw(nullptr);
    }
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

}  // namespace

void explore_draws() {
    const Horizon &horizon = database().horizon;
    const Lock *slot = &world.entries[0].mutex;
    explore<Granting>("grant", {{"the grant is read relaxed", relaxed(Kind::load, &horizon.granted_ms), true},
                                {"the grant is lifted relaxed", relaxed(Kind::update, &horizon.granted_ms), true},
                                {"the floor is read relaxed", relaxed(Kind::load, &horizon.floor_ms), false},
                                {"the floor is lifted relaxed", relaxed(Kind::update, &horizon.floor_ms), false}});
    explore<Following>("another machine",
                       {{"the machine is read relaxed", relaxed(Kind::load, &horizon.machine), true},
                        {"the machine is noted relaxed", relaxed(Kind::store, &horizon.machine), true},
                        {"the grant is ended relaxed", relaxed(Kind::store, &horizon.granted_ms), false}});
    explore<Taking>("take", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                             {"the slot's lock is left out", left_out(Kind::lock, slot), true}});
    explore<Creating>("creation", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                   {"the slot's lock is left out", left_out(Kind::lock, slot), true},
                                   {"the grant is ended relaxed", relaxed(Kind::store, &horizon.granted_ms), false},
                                   {"the grant is read relaxed", relaxed(Kind::load, &horizon.granted_ms), false}});
    explore<TakingBack>("slot taken back", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                            {"the slot's lock is left out", left_out(Kind::lock, slot), true}});
    explore<Finding>("slot found", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                    {"the slot's lock is left out", left_out(Kind::lock, slot), true},
                                    {"the bucket is read relaxed", relaxed(Kind::load, world.buckets), false}});
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

}  // namespace idgen::explored
