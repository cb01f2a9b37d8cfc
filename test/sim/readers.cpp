// Readers by ID, and the transactions that are prepared beside them.
#include "world.hpp"

namespace idgen::sim {
namespace {

// What the server tells a reader of its transactions.
struct ServerOfReader {
    const Node &node;
    int database;

    bool is_in(std::uint32_t process, const LocalTransaction &transaction) const noexcept {
        const Process &found = node.shared->processes[process];
        return found.pid == transaction.pid && found.transaction == transaction.number;
    }
    bool is_in_progress(std::uint32_t xid) const noexcept { return node.is_in_progress(xid); }
    template <class Visit>
    void for_each_old(Visit visit) const {
        for (const PreparedTransaction &transaction : node.prepared)
            if (transaction.database == database && transaction.xid < node.shared->first_xid) visit(transaction.xid);
    }
};

// Whether a transaction that may commit has drawn below an ID.
bool has_undecided(const Node &node, int database, int layout, std::int64_t below_id) noexcept {
    for (const Process &process : node.shared->processes)
        if (process.transaction != 0 && process.database == database && process.drawn.ids[layout] < below_id)
            return true;
    for (const PreparedTransaction &transaction : node.prepared)
        if (transaction.database == database && transaction.drawn.ids[layout] < below_id) return true;
    return false;
}

}  // namespace

// Asks up to where all is decided, and remembers the answer.
void World::read() {
    Node &node = any_node();
    read(node, any_database());
}

void World::read(Node &node, int database) {
    auto layout = static_cast<int>(stage_.random.between(0, stage_.scenario.layout_count - 1));
    bool is_stopped = admin_.is_resetting() && admin_.node() == &node;
    Database *entry = node.issues() && !is_stopped ? enter(node, database) : nullptr;
    if (entry == nullptr) return;
    std::int64_t settled_ms = lift_settled(entry->horizon, node.clock.read(stage_.true_ms));
    stage_.let_others_run();
    const SharedMemory &shared = *node.shared;
    Announcements<NoLock> all{shared.announcements, max_sessions, shared.prepared, max_prepared + max_sessions};
    ServerOfReader server{node, database};
    Settled settled = gather(settled_ms, all, oid_of(database), server, stage_.let_others_run);
    std::int64_t id = settled_id(stage_.scenario.packings[layout], settled.until_ms);
    reads_ += settled.held_by == HeldBy::nobody || settled.until_ms > 0;
    stage_.trace.say("%4lld node %d: database %d, layout %d is settled up to %lld, S %lld, held by %d",
                     Stage::since_start(stage_.true_ms), node.number, database, layout,
                     Stage::since_start(std::max<std::int64_t>(settled.until_ms, 0)), Stage::since_start(settled_ms),
                     static_cast<int>(settled.held_by));
    stage_.oracle.expect(!has_undecided(node, database, layout, id), "a reader loses a row");
    std::int64_t &highest = node.settled_ids[database][layout];
    highest = std::max(highest, id);
}

// Somebody commits a prepared transaction, or rolls it back.
void World::end_prepared() {
    std::vector<PreparedTransaction> &prepared = any_node().prepared;
    if (prepared.empty() || !stage_.random.one_in(4)) return;
    prepared.erase(prepared.begin() + stage_.random.between(0, static_cast<std::int64_t>(prepared.size()) - 1));
}

}  // namespace idgen::sim
