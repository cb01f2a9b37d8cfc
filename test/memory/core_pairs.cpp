// What looks at the settled IDs found, for queries that ask later; and a reset beside them.
#include "core_world.hpp"

namespace idgen::explored {

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
            std::int64_t durable_ms = database().horizon.durable_ms.load();
            std::int64_t until = until_of(lift_settled(database().horizon, now + 900), durable_ms);
            pairs().add({20, until}, drops);
            return;
        }
        Guard<Lock> renewals(world.renewal_lock);
        note_reset(database().horizon, bare_record(now + 100, 77));
        pairs().drop();
    }
    bool is_right() override {
        return database().horizon.settled_ms.load() <= now + 100 + longest_tick_ms &&
               pairs().find(21) <= until_start(now + 100);
    }
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
}

}  // namespace idgen::explored
