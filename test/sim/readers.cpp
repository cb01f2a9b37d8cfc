// Readers by ID, and what goes on beside them: transactions that draw nothing, and the ends of prepared ones.
#include "world.hpp"

namespace idgen::sim {
namespace {

bool has_drawn_below(const Lowest &drawn, const Lowest &below) noexcept {
    for (int i = 0; i < max_layouts; i++)
        if (below.ids[i] != INT64_MAX && drawn.ids[i] < below.ids[i]) return true;
    return false;
}

// Whether a transaction that may commit has drawn below.
bool has_undecided(const Node &node, int database, const Lowest &below) noexcept {
    for (const Process &process : node.shared->processes)
        if (process.transaction != 0 && process.database == database && has_drawn_below(process.drawn, below))
            return true;
    for (const PreparedTransaction &transaction : node.ledger.prepared)
        if (transaction.database == database && has_drawn_below(transaction.drawn, below)) return true;
    return false;
}

// Whether one that had not ended in a snapshot has committed since.
bool has_committed_since(const Node &node, int database, const HeldSnapshot &query, const Lowest &below) noexcept {
    for (Lsn i = query.lsn; i < node.disk.inserted(); i++) {
        const WalEntry &entry = node.disk.wal[i];
        if (!is_commit(entry.transaction.act) || entry.database != database) continue;
        if (!query.is_of_recovery && query.has_ended(entry.transaction.xid)) continue;
        if (has_drawn_below(entry.transaction.drawn, below)) return true;
    }
    return false;
}

}  // namespace

void tell_standbys(Stage &stage, Node &node, int number) {
    Database *database = node.directory().find_database(static_cast<std::uint32_t>(number + 1));
    if (database == nullptr || !is_to_tell(database->horizon, node.clock.read(stage.true_ms))) return;
    Restless client;
    RecordHost host(stage, node, *database, number, Record::horizon, client);
    idgen::tell_standbys(host, *database);
}

// The server whose WAL a node replays, over others or not; its own if it is a primary.
Node &World::source_of(Node &node) noexcept {
    Node *at = &node;
    for (int steps = 0; at->upstream >= 0 && steps < max_nodes; steps++) at = &stage_.nodes[at->upstream];
    return *at;
}

// A reader does something: mostly one query, which asks once.
void World::read() {
    Reader &reader = readers_[stage_.random.between(0, max_readers - 1)];
    if (reader.is_busy) return;
    if (reader.node() == nullptr || stage_.random.one_in(16)) {
        Node &node = any_node();
        if (node.issues() || (node.is_up && node.upstream >= 0)) reader.connect(node, any_database());
    }
    if (reader.node() == nullptr || !reader.node()->is_up) return;
    std::vector<HeldSnapshot> &held = reader.held();
    // One snapshot after the other, or several at once, or an older one again.
    if (!held.empty() && stage_.random.one_in(4)) reader.end_transaction();
    if (held.size() == max_held) held.erase(held.begin() + any_of(held));
    if (held.empty() || !stage_.random.one_in(4)) reader.hold(reader.node()->take_snapshot());
    stage_.let_others_run();
    if (held.empty() || stage_.random.one_in(3)) return;
    ask(reader, stage_.random.one_in(2) ? held.size() - 1 : static_cast<std::size_t>(any_of(held)));
    if (!held.empty() && stage_.random.one_in(4)) ask(reader, static_cast<std::size_t>(any_of(held)));
}

std::int64_t World::any_of(const std::vector<HeldSnapshot> &held) noexcept {
    return stage_.random.between(0, static_cast<std::int64_t>(held.size()) - 1);
}

// One query of a session that then ends.
void World::read(Node &node, int database) {
    Reader &reader = readers_[0];
    if (reader.is_busy || !node.is_up) return;
    reader.connect(node, database);
    reader.hold(node.take_snapshot());
    ask(reader, 0);
    reader.disconnect();
}

// Asks for a snapshot, and judges the answer.
void World::ask(Reader &reader, std::size_t place) {
    Node &node = *reader.node();
    int database = reader.database();
    HeldSnapshot query = reader.held()[place];
    const KeptAnswer *kept = reader.find(query);
    std::int64_t until = none_settled;
    bool is_reset = admin_.is_resetting() && admin_.is_in(source_of(node), database);
    if (kept != nullptr) {
        until = kept->until;
    } else {
        reader.is_busy = true;
        bool is_answered =
            node.is_primary ? ask_primary(node, database, query, until) : ask_standby(node, database, query, until);
        reader.is_busy = false;
        // Or the server had it begin anew meanwhile.
        if (!is_answered || reader.node() == nullptr || place >= reader.held().size()) return;
        reader.keep(query, until);
    }
    HeldSnapshot &held = reader.held()[place];
    // Who reads while a horizon is lowered begins anew.
    if (is_reset) return reader.disconnect();
    stage_.trace.say(
        "%4lld node %d: a reader of database %d with xmax %llu%s, %zu running, at record %zu may read up to %lld%s",
        Stage::since_start(stage_.true_ms), node.number, database, static_cast<unsigned long long>(query.xmax),
        query.is_of_recovery ? " of recovery" : "", query.xids.size(), query.lsn,
        until == none_settled ? -1LL : Stage::since_start(ms_of_until(until)), kept != nullptr ? ", as before" : "");
    stage_.oracle.expect(!held.is_answered || held.until == until, "a query is told two bounds");
    held.is_answered = true;
    held.until = until;
    // What was heard of another scope, or before a reset, does not count.
    if (reader.since() >= source_of(node).begun[database]) judge(node, database, query, until);
}

bool World::ask_primary(Node &node, int database, const HeldSnapshot &query, std::int64_t &until) {
    Database *entry = enter(node, database);
    if (entry == nullptr) return false;
    node.note_first_xid();
    if (entry->horizon.durable_ms == 0) {
        Restless client;
        RecordHost(stage_, node, *entry, database, Record::horizon, client).renew(0);
    }
    ServerOfReader server{stage_, node, entry, database};
    until = answer_on_primary(entry->pairs, server, query.view()).until;
    const Horizon &horizon = entry->horizon;
    stage_.oracle.expect(horizon.settled_ms <= horizon.durable_ms + longest_tick_ms,
                         "what is settled lies far above the horizon");
    return true;
}

bool World::ask_standby(Node &node, int database, const HeldSnapshot &query, std::int64_t &until) {
    ServerOfReader server{stage_, node, nullptr, database};
    until = answer_on_standby(server, query.view()).until;
    return true;
}

// All below the answer is decided in the snapshot: nobody who had not ended there commits, and nothing more is drawn.
void World::judge(Node &node, int database, const HeldSnapshot &query, std::int64_t until) {
    if (until == none_settled) return;
    Counts &counts = stage_.common.counts;
    counts.reads += until > 0;
    counts.later_reads += until > 0 && stage_.oracle.was_copied();
    Node &source = source_of(node);
    counts.standby_reads += !node.is_primary;
    Lowest below;
    for (int i = 0; i < stage_.scenario.layout_count; i++)
        below.ids[i] = settled_id(stage_.scenario.packings[i], until);
    bool is_lost = has_undecided(source, database, below) || has_committed_since(source, database, query, below);
    stage_.oracle.expect(!is_lost, node.is_primary ? "a reader loses a row" : "a reader on a standby loses a row");
    for (int i = 0; i < stage_.scenario.layout_count; i++)
        for (Node *each : {&node, &source}) {
            std::int64_t &highest = each->settled_ids[database][i];
            highest = std::max(highest, below.ids[i]);
        }
}

// Readers of a server, or of a database on all, begin anew.
void World::drop_readers(const Node *node, int database) {
    for (Reader &reader : readers_)
        if ((node == nullptr || reader.node() == node) && (database < 0 || reader.database() == database))
            reader.disconnect();
}

// Transactions that draw nothing come and go.
void World::step_other_transaction() {
    Node &node = any_node();
    if (!node.issues()) return;
    std::vector<Xid> &others = node.shared->others;
    if (others.size() < 2 && stage_.random.one_in(2)) {
        others.push_back(node.ledger.give());
        if (stage_.random.one_in(2)) node.disk.write_act(Act::store, others.back(), 0, {});
        return;
    }
    if (others.empty()) return node.log_running();
    std::size_t place =
        static_cast<std::size_t>(stage_.random.between(0, static_cast<std::int64_t>(others.size()) - 1));
    Xid xid = others[place];
    node.disk.write_act(stage_.random.one_in(4) ? Act::abort : Act::commit, xid, 0, {});
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    node.ledger.end(xid);
}

// Somebody commits a prepared transaction, or rolls it back: in the WAL, flushed, then for snapshots.
void World::end_prepared() {
    Node &node = any_node();
    std::vector<PreparedTransaction> &prepared = node.ledger.prepared;
    if (!node.issues() || prepared.empty() || !stage_.random.one_in(4)) return;
    PreparedTransaction &found =
        prepared[static_cast<std::size_t>(stage_.random.between(0, static_cast<std::int64_t>(prepared.size()) - 1))];
    if (found.is_ending) return;
    found.is_ending = true;
    bool commits = !stage_.random.one_in(4);
    PreparedTransaction ending = found;
    Lsn lsn = node.disk.write_act(commits ? Act::commit_prepared : Act::abort_prepared, ending.xid, ending.database,
                                  ending.drawn);
    if (commits) found.lsn = lsn;
    node.disk.flush(lsn);
    stage_.let_others_run();
    node.ledger.erase_prepared(ending.xid);
    node.ledger.end(ending.xid);
    stage_.trace.say("%4lld node %d: prepared transaction %llu is %s", Stage::since_start(stage_.true_ms), node.number,
                     static_cast<unsigned long long>(ending.xid), commits ? "committed" : "rolled back");
}

}  // namespace idgen::sim
