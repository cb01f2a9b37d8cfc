// The lease of a number: it ends, is used again, and begins at R.
#include "core_world.hpp"

namespace idgen::explored {

namespace {

struct LeaseRun {
    static void claim(std::int64_t number, std::int64_t horizon_ms) {
        world.lease_record = propose(no_number({1, 2}, 77), {1, 2}, 77, number, number + 20);
        take_answer(ask_claim(world.lease, world.lease_record, {now, 0}), horizon_ms);
    }
    static void take_answer(const LeaseCall &call, std::int64_t horizon_ms) {
        take_in(world.lease, world.lease_record, call, {CallOutcome::granted, horizon_ms}, {now, 0}, {1000, 0, 1000});
    }
    static void refuse(const LeaseCall &call) {
        take_in(world.lease, world.lease_record, call, {CallOutcome::refused, 0}, {now, 0}, {1000, 0, 1000});
    }
    // As the keeper does between the answer and its next call, if the core asks for it.
    static void drain() {
        if (next_errand(world.lease, LeaseFor::pool, {now, 0}, {1000, 0, 1000}) != Errand::drain) return;
        {
            Guard<Lock> guard(world.directory_lock);
            directory().reached_ms();
        }
        Guard<Lock> guard(world.lease_lock);
        note_drained(world.lease);
    }
    static void extend() { take_answer(ask_extend(world.lease, {now, 0}, {1000, 0, 1000}), 0); }
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

// A number is lost, another is claimed in its lease and lost, and the first is claimed again: what caps it is not the
// cap of the other one.
template <bool drains>
struct ClaimingTwice : CoreProgram {
    void prepare() override {
        prepare_slot();
        begin_life(world.lease, 99);
        LeaseRun::claim(shard, now);
        LeaseRun::extend();
        lose();
        LeaseRun::drain();
        LeaseRun::claim(shard + 1, now);
        LeaseRun::extend();
    }
    static void lose() {
        Guard<Lock> guard(world.lease_lock);
        LeaseRun::refuse(ask_extend(world.lease, {now + 600, 0}, {1000, 0, 1000}));
    }
    void run(int thread) override {
        if (thread == 1) {
            Guard<Lock> guard(world.slot.entry->mutex);
            world.noted[1] = cap_of(world.lease, shard);
            return;
        }
        lose();
        if (drains) LeaseRun::drain();
        Guard<Lock> guard(world.lease_lock);
        LeaseRun::claim(shard, now + 100);
    }
    // It is opened by the first extension, which does not come.
    bool is_right() override { return world.noted[1] == 0; }
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
            SlotRequest request{key, layout, SlotUse::own, 1, now, 0};
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
    bool is_right() override { return world.entries[0].slot.tick + 1 >= tick_of(p, us_of(now + 100)); }
};

}  // namespace

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
    explore<ClaimingTwice<true>>("claimed twice", {{"the slot's lock orders nothing", relaxed(Kind::lock, slot), true},
                                                   {"the slot's lock is left out", left_out(Kind::lock, slot), true}});
    ClaimingTwice<false> undrained;
    report("claimed twice", "without a drain", explorer::explore(undrained), true);
    explore<Claiming>("claim",
                      {{"the directory's lock orders nothing", relaxed(Kind::lock, &world.directory_lock), true},
                       {"the directory's lock is left out", left_out(Kind::lock, &world.directory_lock), true},
                       {"R is written relaxed", relaxed(Kind::store, &lease.claimed_ms), false}});
}

}  // namespace idgen::explored
