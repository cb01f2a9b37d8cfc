#include "world.hpp"

namespace idgen::sim {

World::World(std::uint64_t seed, const Manner &manner) : stage_(seed, manner) {
    describe(stage_.scenario, stage_.trace);
    for (int i = 0; i < 2; i++) stage_.nodes[i].number = i;
    Node &first = stage_.nodes[0];
    first.is_primary = true;
    first.disk.write(bare_record(start_ms, first.identity()));  // as CREATE EXTENSION does
    first.disk.flush(first.disk.inserted());
    stage_.nodes[1].is_up = false;
    clone(stage_.nodes[1]);
}

void World::run() {
    Random &random = stage_.random;
    while (events_ < stage_.scenario.events && !stage_.oracle.has_failed()) {
        events_++;
        if (random.one_in(stage_.scenario.time_interval)) pass_time();
        // Misfortunes seldom come singly.
        bool is_disaster = random.one_in(trouble_ > 0 ? 8 : stage_.scenario.disaster_interval);
        if (is_disaster)
            disaster();
        else if (random.one_in(8))
            replicate();
        else
            step_session();
        if (random.one_in(12)) recover_quietly();
        if (is_disaster && trouble_ == 0 && random.one_in(4)) trouble_ = 20;
        if (trouble_ > 0) trouble_--;
    }
}

void World::pass_time() {
    const Scenario &s = stage_.scenario;
    std::int64_t most_ms =
        stage_.random.one_in(20) ? 4 * (s.rules.window_ms + s.rules.max_lead_ms) : s.unit_ms;
    stage_.true_ms += stage_.random.between(s.unit_ms > 1 ? 0 : 1, most_ms);
    for (Node &node : stage_.nodes) {
        node.clock.set_right_at(stage_.true_ms, stage_.random.one_in(8));
        node.clock.drift();
        if (!s.has_wild_clocks) node.clock.limit(stage_.true_ms, s.rules.clock_error_ms);
    }
}

// One step of one client; clients of a lost server connect to one that issues.
void World::step_session() {
    Random &random = stage_.random;
    auto number = static_cast<int>(random.between(0, stage_.scenario.session_count - 1));
    if (events_ < stalled_until_[number]) return;
    Session &session = sessions_[number];
    if (session.node() == nullptr) {
        Node &node = stage_.nodes[random.between(0, 1)];
        if (node.issues()) session.connect(stage_, number, node);
        return;
    }
    std::int64_t before = session.draws();
    session.step(stage_);
    draws_ += session.draws() - before;
}

// The WAL on its way: written behind, sent, flushed on the standby, acknowledged.
void World::replicate() {
    Random &random = stage_.random;
    for (Node &node : stage_.nodes)
        if (node.issues() && random.one_in(4)) node.disk.flush(node.disk.inserted());
    Node *receiver = standby();
    if (receiver == nullptr || !receiver->is_linked) return;
    Node &sender = other(*receiver);
    if (!sender.issues()) return;
    Lsn received = receiver->disk.inserted();
    if (received < sender.disk.flushed && !random.one_in(3))
        receiver->disk.receive(sender.disk, received + 1);
    if (!random.one_in(3)) receiver->disk.flush(receiver->disk.inserted());
    if (!random.one_in(3)) sender.acknowledged = receiver->disk.flushed;
}

Node *World::standby() noexcept {
    for (Node &node : stage_.nodes)
        if (node.is_up && !node.is_primary) return &node;
    return nullptr;
}

void World::disconnect(const Node &node) {
    for (Session &session : sessions_)
        if (session.node() == &node) session = Session{};
}

void World::say(const char *what, const Node &node) const noexcept {
    stage_.trace.say("%4lld node %d: %s; clock %lld, durable H %lld", Stage::since_start(stage_.true_ms),
                     node.number, what, Stage::since_start(node.clock.read(stage_.true_ms)),
                     Stage::since_start(node.disk.wal.empty() ? 0 : node.disk.durable_ms()));
}

}  // namespace idgen::sim
