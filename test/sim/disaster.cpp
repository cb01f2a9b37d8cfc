// What goes wrong, and what operators do about it.
#include "world.hpp"

namespace idgen::sim {

void World::disaster() {
    Random &random = stage_.random;
    Node &node = stage_.nodes[random.between(0, 1)];
    disasters_++;
    if (trouble_ > 0 && random.one_in(3)) return crash_backend(node);
    switch (random.between(0, 14)) {
        case 0:
        case 1:
            return crash_backend(node);
        case 2:
            return crash_server(node);
        case 3:
        case 4:
            return promote();
        case 5:
            if (stage_.scenario.has_restores) restore();
            return;
        case 6:
        case 7:
            if (stage_.scenario.has_strangers) meddle(node);
            return;
        case 8:
        case 9:
            return stall();
        case 10:
            return advance(node);
        default:
            return misbehave(node);
    }
}

// Operators bring back what is down, sooner or later.
void World::recover_quietly() {
    for (Node &node : stage_.nodes) {
        if (node.is_up || node.disk.wal.empty() || !stage_.random.one_in(3)) continue;
        if (node.is_primary)
            start(node, node.disk.flushed);
        else
            clone(node);
    }
}

std::int64_t World::reach_ms() const noexcept {
    return stage_.scenario.rules.window_ms + stage_.scenario.rules.max_lead_ms;
}

// Whether the page was lowered and no session has seen it yet: a crash now rests on the clock.
bool World::is_unprotected(const Node &node) const noexcept {
    const Disk &disk = node.disk;
    bool is_ours =
        disk.page.identity == node.identity() && disk.wal[disk.flushed - 1].identity == node.identity();
    return stage_.scenario.has_wild_clocks && node.issues() && !is_ours;
}

// Shared memory is reset; of the WAL, more than the flushed part may have reached the disk.
void World::crash_backend(Node &node) {
    if (!node.issues() || is_unprotected(node)) return;
    auto kept = static_cast<Lsn>(stage_.random.between(static_cast<std::int64_t>(node.disk.flushed),
                                                       static_cast<std::int64_t>(node.disk.inserted())));
    start(node, kept);
    say("a backend crashed", node);
}

void World::crash_server(Node &node) {
    if (!node.is_up || is_unprotected(node)) return;
    node.is_up = false;
    node.disk.recover(node.disk.flushed);
    disconnect(node);
    say("crashes", node);
}

// Starts from the records up to `lsn`.
void World::start(Node &node, Lsn lsn) {
    disconnect(node);
    node.disk.recover(lsn);
    node.forget();
    node.is_up = true;
    say("starts", node);
}

void World::fence(Node &node) {
    node.is_up = node.is_primary = node.is_linked = false;
    disconnect(node);
    node.forget();
    say("is fenced", node);
}

// The standby replays what it received and takes over. With synchronous replication the old primary may
// live on, isolated.
void World::promote() {
    Node *successor = standby();
    if (successor == nullptr) return;
    Node &old = other(*successor);
    bool may_isolate = stage_.scenario.replication == Replication::synchronous && old.issues();
    if (may_isolate && stage_.random.one_in(2))
        say("is isolated, alive", old);
    else
        fence(old);
    successor->is_linked = false;
    start(*successor, successor->disk.inserted());
    successor->timeline++;
    successor->is_primary = true;
    trouble_ = stage_.random.one_in(4) ? 0 : 60;
    // Its clock may be far behind, and is set right before it has paid what it owes.
    std::int64_t paid_ms = stage_.true_ms + 2 * stage_.scenario.rules.clock_error_ms;
    if (stage_.random.one_in(3))
        successor->clock.slow_down(stage_.random.between(1, 20 * reach_ms()), paid_ms);
    say("is promoted", *successor);
}

// Makes a standby from a base backup of the primary.
void World::clone(Node &standby) {
    Node &source = other(standby);
    if (!source.issues() || stage_.scenario.replication == Replication::none) return;
    standby.disk = source.disk;
    standby.disk.recover(source.disk.flushed);
    standby.timeline = source.timeline;
    standby.forget();
    standby.is_up = standby.is_linked = true;
    standby.is_primary = false;
    say("is a standby from a base backup", standby);
}

// Point-in-time recovery of a primary; its peer must be made anew.
void World::restore() {
    Node &node = stage_.nodes[stage_.random.between(0, 1)];
    if (!node.issues()) return;
    fence(other(node));
    auto most = static_cast<std::int64_t>(node.disk.flushed);
    start(node, static_cast<Lsn>(stage_.random.between(1, most)));
    node.timeline++;
    trouble_ = stage_.random.one_in(4) ? 0 : 60;
    say("is restored to an earlier time", node);
}

// Somebody else changes the page: setval, which is logged, or nextval, which here is not.
void World::meddle(Node &node) {
    if (!node.issues()) return;
    const Scenario &s = stage_.scenario;
    DurableRecord page = node.disk.page;
    std::int64_t by_ms = stage_.random.between(1, 3 * reach_ms());
    if (stage_.random.one_in(3)) {
        node.disk.page = bare_record(page.value + 1, page.identity - 1);
        return say("nextval on the horizon", node);
    }
    bool is_lowered =
        s.has_lowering && (node.horizon.is_loaded || !s.has_wild_clocks) && stage_.random.one_in(2);
    node.disk.write(bare_record(page.value + (is_lowered ? -by_ms : by_ms), 0));
    if (stage_.random.one_in(2)) node.disk.flush(node.disk.inserted());
    say(is_lowered ? "setval lowers the horizon" : "setval raises the horizon", node);
}

// idgen_advance: no ID below an instant from here on. One step, but for the wait for the standby.
void World::advance(Node &node) {
    if (!node.issues() || node.is_renewing) return;
    const Scenario &s = stage_.scenario;
    Horizon &horizon = node.horizon;
    std::int64_t now_ms = node.clock.read(stage_.true_ms);
    std::int64_t at_ms = now_ms + stage_.random.between(-reach_ms(), reach_ms());
    stage_.oracle.note_clock(now_ms);
    DurableRecord page = node.disk.page;
    admit_page(horizon, page, node.identity(), node.read_clock(stage_.true_ms), s.rules);
    raise(horizon.floor_ms, at_ms);
    std::int64_t identity = identity_of_advance(horizon, node.identity());
    DurableRecord record = bare_record(std::max(page.value, horizon.floor_ms.load()), identity);
    node.disk.flush(node.disk.write(record));
    note_advanced(horizon, record);
    place_slots(node, s, at_ms, stage_.weakness);
    node.loaded_floor_ms = std::max(node.loaded_floor_ms, at_ms);
    say("idgen_advance", node);
}

void World::misbehave(Node &node) {
    const Scenario &s = stage_.scenario;
    std::int64_t scale_ms = 2 * (s.rules.window_ms + s.rules.max_lead_ms) + 4 * s.unit_ms;
    node.clock.misbehave(stage_.random, stage_.true_ms, scale_ms);
    if (!s.has_wild_clocks) node.clock.limit(stage_.true_ms, s.rules.clock_error_ms);
    say("the clock changes", node);
}

// A session gets no processor for a while.
void World::stall() {
    auto number = stage_.random.between(0, stage_.scenario.session_count - 1);
    stalled_until_[number] = events_ + stage_.random.between(10, 400);
    stage_.trace.say("%4lld session %lld stalls", Stage::since_start(stage_.true_ms),
                     static_cast<long long>(number));
}

}  // namespace idgen::sim
