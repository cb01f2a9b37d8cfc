#include "world.hpp"

namespace idgen::sim {

World::World(std::uint64_t seed, const Manner &manner) : stage_(seed, manner) {
    describe(stage_.scenario, stage_.trace);
    stage_.let_others_run = [this] { step_others(); };
    // Of some, the stored halves of the xids soon begin again.
    Xid base_xid = stage_.random.one_in(3) ? (Xid{1} << 32) - static_cast<Xid>(stage_.random.between(1, 100)) : 700;
    for (int i = 0; i < max_nodes; i++) {
        Node &node = stage_.nodes[i];
        node.number = i;
        node.slot_count = stage_.scenario.slot_count;
        node.pool_count = stage_.scenario.pool_count;
        node.boot_machine(++stage_.common.boots, stage_.true_ms - stage_.random.between(0, 1000000));
        node.is_told = stage_.scenario.machines == Machines::told;
        if (node.is_told) node.generation = static_cast<std::uint64_t>(stage_.random.between(0, 2));
        node.base_xid = base_xid;
        node.ledger.begin(base_xid);
        node.forget();
    }
    Node &first = primary();
    first.is_up = first.is_primary = true;
    first.is_alone = stage_.scenario.replication == Replication::none;
    for (int i = 0; i < stage_.scenario.database_count; i++) {
        first.writers[i] = 1;
        create(first, i);
    }
    first_lsn_ = static_cast<std::int64_t>(first.disk.inserted());
    if (stage_.scenario.replication != Replication::none) clone(stage_.nodes[1]);
}

void World::run() {
    while (events_ < stage_.scenario.events && !stage_.oracle.has_failed()) {
        events_++;
        stage_.common.counts.events++;
        step();
        bool is_copied = stage_.scenario.machines != Machines::alone;
        if (is_copied && stage_.random.one_in(stage_.scenario.copy_interval)) copy_machines();
        Turns &turns = stage_.common.turns;
        if (turns.is_waited_for(stage_.world) && stage_.random.one_in(100)) break;
        if (turns.is_alone(stage_.world)) continue;
        turns.hand_over(stage_.world);
        limit_clocks();
    }
    end();
}

void World::step() {
    Random &random = stage_.random;
    if (random.one_in(stage_.scenario.time_interval)) pass_time();
    // Misfortunes seldom come singly.
    bool is_disaster = random.one_in(trouble_ > 0 ? 8 : stage_.scenario.disaster_interval);
    if (is_disaster)
        disaster();
    else if (random.one_in(8))
        replicate();
    else
        step_somebody();
    if (stage_.scenario.has_registry()) keep_numbers();
    if (random.one_in(12)) recover_quietly();
    if (random.one_in(12)) confirm_shards();
    if (is_disaster && trouble_ == 0 && random.one_in(4)) trouble_ = 20;
    if (trouble_ > 0) trouble_--;
}

void World::end() {
    stage_.common.turns.leave(stage_.world);
    if (stage_.world == 0) return;
    _exit(0);
}

void World::pass_time() {
    const Scenario &s = stage_.scenario;
    bool is_long = stage_.random.one_in(s.has_registry() ? 60 : 20);
    if (is_long || s.unit_us >= 1000)
        stage_.true_ms += stage_.random.between(s.unit_ms > 1 ? 0 : 1, is_long ? 4 * reach_ms() : s.unit_ms);
    // Of shorter ticks some go by, and now and then a ms.
    if (s.unit_us < 1000 || stage_.random.one_in(4))
        stage_.true_part_us +=
            stage_.random.between(1, stage_.random.one_in(4) ? 1000 : 4 * std::min<std::int64_t>(s.unit_us, 250));
    stage_.true_ms += stage_.true_part_us / 1000;
    stage_.true_part_us %= 1000;
    for (Node &node : stage_.nodes) {
        node.clock.set_right_at(stage_.true_ms, stage_.random.one_in(8));
        node.clock.drift();
    }
    limit_clocks();
}

// After time has gone on, here or in a copy of this world.
void World::limit_clocks() noexcept {
    for (Node &node : stage_.nodes) {
        node.clock.set_right_at(stage_.true_ms, false);
        if (!stage_.scenario.has_wild_clocks) node.clock.limit(stage_.true_ms, stage_.settings.rules.clock_error_ms);
    }
}

void World::step_somebody() {
    if (admin_.node() != nullptr && stage_.random.one_in(3)) return step_admin();
    if (stage_.random.one_in(10)) return step_readers();
    auto number = static_cast<int>(stage_.random.between(0, stage_.scenario.session_count - 1));
    if (events_ >= stalled_until_[number]) step_session(number);
}

// Readers, and what moves their snapshots.
void World::step_readers() {
    if (stage_.random.one_in(4)) return end_prepared();
    stage_.random.one_in(4) ? step_other_transaction() : read();
}

// Readers ask beside a reset, too.
void World::step_admin() {
    if (!admin_.is_resetting() || !stage_.random.one_in(2)) return admin_.step();
    int database = any_database();
    for (Node &node : stage_.nodes)
        if (admin_.is_in(node, database)) return read(node, database);
}

// One step of one client; clients of a lost server connect to one that issues.
void World::step_session(int number) {
    Session &session = sessions_[number];
    if (session.node() == nullptr) return connect(number);
    std::int64_t before = session.draws();
    if (!is_interrupted_) running_ = number;
    session.step(stage_);
    stage_.common.counts.draws += session.draws() - before;
}

// Clients mostly find a server that holds a number.
Node &World::node_for_clients() noexcept {
    for (int tries = 0; tries < 4; tries++) {
        Node &node = any_node();
        if (node.issues() && node.shared->leases.holds_any()) return node;
    }
    return any_node();
}

void World::connect(int number) {
    Node &node = stage_.scenario.has_registry() ? node_for_clients() : any_node();
    int database = any_database();
    bool is_stopped = admin_.is_resetting() && admin_.node() == &node;
    if (!node.issues() || is_stopped || enter(node, database) == nullptr) return;
    sessions_[number].connect(stage_, number, node, database);
}

// What other sessions do between two loads of one of them.
void World::step_others() {
    Random &random = stage_.random;
    if (is_interrupted_ || !random.one_in(4)) return;
    is_interrupted_ = true;
    bool is_copied = stage_.scenario.machines != Machines::alone;
    if (is_copied && random.one_in(stage_.scenario.copy_interval)) copy_machines();
    for (std::int64_t steps = random.between(1, random.one_in(4) ? 60 : 6); steps > 0; steps--) {
        auto number = static_cast<int>(random.between(0, stage_.scenario.session_count - 1));
        if (random.one_in(8))
            replicate();
        else if (random.one_in(8))
            step_readers();
        else if (admin_.is_resetting() && random.one_in(4))
            admin_.step();
        else if (stage_.scenario.has_registry() && random.one_in(2))
            keep_numbers();
        else if (number != running_ && sessions_[number].node() != nullptr)
            step_session(number);
    }
    is_interrupted_ = false;
}

bool World::has_sessions(const Node &node, int database) const noexcept {
    if (admin_.is_in(node, database)) return true;
    for (const Session &session : sessions_)
        if (session.is_in(node, database)) return true;
    return false;
}

void World::disconnect(const Node &node) {
    for (Session &session : sessions_)
        if (session.node() == &node) session.disconnect();
    if (admin_.node() == &node) admin_.disconnect();
}

// The sessions of one database, if none of them holds up the others.
bool World::disconnect(const Node &node, int database) {
    if (admin_.node() == &node) return false;
    for (const Session &session : sessions_)
        if (session.is_in(node, database) && session.is_renewing()) return false;
    for (Session &session : sessions_)
        if (session.is_in(node, database)) session.disconnect();
    return true;
}

void World::say(const char *what, const Node &node) const noexcept {
    stage_.trace.say("%4lld node %d: %s; clock %lld, durable H %lld", Stage::since_start(stage_.true_ms), node.number,
                     what, Stage::since_start(node.clock.read(stage_.true_ms)),
                     Stage::since_start(node.disk.durable_ms[0]));
}

}  // namespace idgen::sim
