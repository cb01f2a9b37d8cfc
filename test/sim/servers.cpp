// What happens to servers: crashes, boots, failover, backups.
#include "world.hpp"

namespace idgen::sim {

// Whether a horizon is not the server's own, so that what it owes rests on its clock.
bool World::is_indebted(const Node &node) const noexcept {
    for (int i = 0; i < stage_.scenario.database_count; i++)
        if (node.disk.horizon(i).identity != node.identity() || node.disk.durable[i].identity != node.identity())
            return true;
    return false;
}

// Whether a page was lowered and no session has seen it yet: a crash now rests on the clock.
bool World::is_unprotected(const Node &node) const noexcept {
    const Scenario &s = stage_.scenario;
    if (s.has_registry()) return false;
    return s.has_wild_clocks && s.has_lowering && node.issues() && is_indebted(node);
}

// Whether a database's page says less than was once durable: a stranger lowered it.
bool World::is_lowered(const Node &node, int database) noexcept {
    return node.disk.horizon(database).value < node.disk.durable_ms[database];
}

bool World::is_only_primary(const Node &node) const noexcept {
    for (const Node &other : stage_.nodes)
        if (&other != &node && other.is_primary) return false;
    return true;
}

// Whether the machine may have a slow clock for as long as it likes.
bool World::may_be_slow(const Node &node) const noexcept {
    const Scenario &s = stage_.scenario;
    return s.has_wild_clocks || s.has_registry() || (!s.has_strangers && !is_indebted(node));
}

// Whether no generator is lost with the records after `lsn` that lies as far above those kept as are skipped.
bool World::loses_few_generators(const Disk &disk, Lsn lsn) const noexcept {
    if (stage_.scenario.has_registry()) return true;
    std::int64_t kept[max_databases] = {}, highest[max_databases] = {};
    for (Lsn i = 0; i < lsn; i++)
        if (disk.wal[i].kind == Record::generator) kept[disk.wal[i].database] = disk.wal[i].record.value;
    for (int i = 0; i < max_databases; i++) highest[i] = stage_.oracle.highest_generator(primary().launches[i]);
    for (int i = 0; i < max_databases; i++)
        if (highest[i] - kept[i] >= 100) return false;
    return true;
}

// Shared memory is reset; of the WAL, more than the flushed part may have reached the disk.
void World::crash_backend(Node &node) {
    if (!node.issues() || is_unprotected(node)) return;
    auto kept = static_cast<Lsn>(stage_.random.between(static_cast<std::int64_t>(node.disk.flushed),
                                                       static_cast<std::int64_t>(node.disk.inserted())));
    start(node, kept);
    count_crash();
    say("a backend crashed", node);
}

// The server, or its machine, which may come up with a slow clock.
void World::crash_server(Node &node) {
    if (!node.is_up || is_unprotected(node)) return;
    node.is_up = false;
    count_crash();
    node.disk.recover(node.disk.flushed);
    disconnect(node);
    drop_readers(&node, -1);
    say("crashes", node);
    if (!stage_.random.one_in(3)) return;
    node.boot_machine(++stage_.common.boots, stage_.true_ms);
    if (node.is_told) count_anew(node);
    if (may_be_slow(node) && stage_.random.one_in(2))
        node.clock.slow_down(stage_.random.between(1, 20 * reach_ms()),
                             stage_.true_ms + stage_.random.between(0, 40 * reach_ms()));
    say("boots", node);
}

// Starts from the records up to `lsn`.
void World::start(Node &node, Lsn lsn, bool keeps_readers) {
    disconnect(node);
    if (!keeps_readers) drop_readers(&node, -1);
    node.disk.recover(lsn);
    node.forget();
    node.end_recovery();
    node.is_up = true;
    for (int i = 0; i < stage_.scenario.database_count; i++) {
        if (node.disk.horizon(i).value < dropped_ms_[i] && !stage_.scenario.has_registry()) begin_scope(node, i);
        // What readers heard rests on the clock, and shards from a registry allow any.
        if (is_lowered(node, i) && stage_.scenario.has_wild_clocks) node.forget_readers(i);
        review(node, i);
    }
    keepers_[node.number].start(node);
    say("starts", node);
}

void World::fence(Node &node) {
    node.is_up = node.is_primary = node.is_alone = false;
    node.upstream = -1;
    disconnect(node);
    drop_readers(&node, -1);
    node.forget();
    say("is fenced", node);
    // What follows it must be made again: it may come back as another server, whose records do not go on from theirs.
    for (Node &other : stage_.nodes)
        if (other.upstream == node.number) fence(other);
}

// Makes a standby from a base backup of the primary; it follows that, or another standby.
void World::clone(Node &standby) {
    const Node &source = primary();
    if (!source.issues() || source.is_alone) return;
    standby.disk = source.disk;
    standby.disk.recover(source.disk.flushed);
    follow(standby, source);
    const Node &upstream = any_node();
    if (upstream.upstream == source.number && &upstream != &standby) standby.upstream = upstream.number;
    standby.forget();
    standby.replay_all();
    standby.is_up = true;
    say("is a standby from a base backup", standby);
}

void World::follow(Node &standby, const Node &source) noexcept {
    standby.upstream = source.number;
    standby.timeline = source.timeline;
    standby.system = source.system;
    standby.is_converted = false;
    standby.origin = source.origin;
    for (int i = 0; i < max_databases; i++) {
        standby.writers[i] = source.writers[i];
        standby.scopes[i] = source.scopes[i];
        standby.launches[i] = source.launches[i];
        std::copy_n(source.resumed[i], 2, standby.resumed[i]);
    }
}

// Whether a standby's records come from the primary, over others or not.
bool World::follows_primary(const Node &node) const noexcept {
    const Node *at = &node;
    for (int steps = 0; at->upstream >= 0 && steps < max_nodes; steps++) at = &stage_.nodes[at->upstream];
    return node.is_up && node.upstream >= 0 && at->number == primary_;
}

// The standby to be promoted, null if there is none: with synchronous replication the one that is furthest of so
// many that every quorum has one of them.
Node *World::successor() noexcept {
    const Scenario &s = stage_.scenario;
    bool is_synchronous = s.replication == Replication::synchronous;
    Node *best = nullptr;
    int count = 0;
    for (Node &node : stage_.nodes) {
        if (!follows_primary(node)) continue;
        count++;
        bool is_better = best == nullptr || node.disk.inserted() > best->disk.inserted();
        if (is_synchronous ? is_better : best == nullptr || stage_.random.one_in(2)) best = &node;
    }
    return is_synchronous && count < s.node_count - s.quorum ? nullptr : best;
}

// Whether readers must begin anew on a server that lacks records of the one before: it rests on clocks, and those are
// wild, which only shards from a registry allow.
bool World::are_readers_lost() const noexcept {
    return stage_.scenario.has_wild_clocks && stage_.scenario.replication != Replication::synchronous;
}
void World::forget_readers(Node &node) noexcept {
    for (int i = 0; i < max_databases; i++) node.forget_readers(i);
}

// The clock of a server that takes over may be far behind, and is set right before the server has paid what it owes.
void World::take_over(Node &node) {
    trouble_ = stage_.random.one_in(4) ? 0 : 60;
    std::int64_t paid_ms = stage_.true_ms + 2 * stage_.settings.rules.clock_error_ms;
    node.clock.set_right_at(stage_.true_ms, true);
    if (stage_.random.one_in(stage_.scenario.has_new_databases ? 1 : 3))
        node.clock.slow_down(stage_.random.between(1, 20 * reach_ms()), paid_ms);
}

// What people do with a server that has just taken over.
void World::try_in_debt(Node &node) {
    if (stage_.scenario.has_admin && stage_.random.one_in(2)) advance(node, any_database());
    if (stage_.scenario.has_new_databases) recreate_in_debt(node);
}

// A standby replays what it received and takes over; the others follow it, those that are further must be made again.
// With synchronous replication the old primary may live on, isolated.
void World::promote() {
    Node *next = successor();
    if (next == nullptr || !loses_few_generators(next->disk, next->disk.inserted())) return;
    Node &old = primary();
    bool is_safe = stage_.scenario.has_registry() || stage_.scenario.replication == Replication::synchronous;
    bool may_isolate = is_safe && old.issues();
    bool followers[max_nodes];
    for (Node &node : stage_.nodes) followers[node.number] = follows_primary(node);
    std::uint32_t timeline = old.timeline + 1;
    follow(*next, old);
    next->upstream = -1;
    next->timeline = timeline;
    next->is_primary = true;
    next->take_readers(old);
    if (are_readers_lost()) forget_readers(*next);
    primary_ = next->number;
    Lsn last = next->disk.inserted();
    // Its readers keep their snapshots of recovery.
    start(*next, last, true);
    for (Node &node : stage_.nodes) {
        if (!followers[node.number] || !node.is_up || &node == next) continue;
        if (node.disk.inserted() > last || stage_.random.one_in(4))
            fence(node);
        else
            follow(node, *next);
    }
    if (!stage_.scenario.has_registry())
        for (int i = 0; i < stage_.scenario.database_count; i++) may_isolate = may_isolate && !is_lowered(*next, i);
    if (may_isolate && stage_.random.one_in(2))
        say("is isolated, alive", old);
    else
        fence(old);
    take_over(*next);
    say("is promoted", *next);
    try_in_debt(*next);
}

// Point-in-time recovery of the primary; all others must be made again.
void World::restore() {
    Node &node = primary();
    auto lsn = static_cast<Lsn>(stage_.random.between(first_lsn_, static_cast<std::int64_t>(node.disk.flushed)));
    if (!node.issues() || !loses_few_generators(node.disk, lsn)) return;
    for (Node &other : stage_.nodes)
        if (&other != &node && !other.is_alone) fence(other);
    if (stage_.scenario.has_wild_clocks) forget_readers(node);
    start(node, lsn);
    node.timeline++;
    node.is_converted = false;
    take_over(node);
    say("is restored to an earlier time", node);
    try_in_debt(node);
}

// Operators bring back what is down, sooner or later; an old primary that was left alive is made again.
void World::recover_quietly() {
    for (Node &node : stage_.nodes) {
        if (node.number >= stage_.scenario.node_count || !stage_.random.one_in(3)) continue;
        bool has_registry = stage_.scenario.has_registry();
        bool is_other = node.issues() && node.number != primary_;
        if (is_other && stage_.random.one_in(has_registry ? 100 : 20)) fence(node);
        if (node.is_up) continue;
        if (node.is_primary)
            start(node, node.disk.flushed);
        else if (has_registry && stage_.random.one_in(4))
            add_server(node);
        else if (stage_.scenario.replication != Replication::none)
            clone(node);
    }
}

// The WAL on its way: written behind, sent, flushed on the standby, acknowledged.
void World::replicate() {
    Random &random = stage_.random;
    for (Node &node : stage_.nodes) {
        if (node.issues() && random.one_in(4)) node.disk.flush(node.disk.inserted());
        if (node.is_up && node.upstream >= 0) receive(node);
    }
}

void World::receive(Node &receiver) {
    Random &random = stage_.random;
    Node &sender = stage_.nodes[receiver.upstream];
    if (!sender.is_up) return;
    Lsn received = receiver.disk.inserted();
    // What is said of transactions comes along with the next page.
    Lsn upto = received + 1;
    while (upto < sender.disk.flushed && !sender.disk.wal[upto - 1].is_page() && !random.one_in(8)) upto++;
    if (received < sender.disk.flushed && !random.one_in(3)) receiver.disk.receive(sender.disk, upto);
    if (!random.one_in(3)) receiver.disk.flush(receiver.disk.inserted());
    while (receiver.replayed < receiver.disk.flushed && !random.one_in(6)) receiver.replay();
    if (!random.one_in(3)) sender.shared->acknowledged[receiver.number] = receiver.disk.flushed;
}

}  // namespace idgen::sim
