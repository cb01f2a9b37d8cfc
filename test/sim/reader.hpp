// A reader by ID, in a transaction of its own on a primary or a standby: it holds the snapshots of its queries, several
// as with cursors, and asks for any of them up to where it may read, as src/pg/reading/settled.cpp does, again and again.
#pragma once

#include <deque>

#include "stage.hpp"

namespace idgen::sim {

constexpr int max_readers = 3;
constexpr std::size_t max_held = 3;

// What the core asks a server for. Before each answer others run.
struct ServerOfReader {
    Stage &stage;
    Node &node;
    Database *database;  // on a primary
    int number;
    HeldSnapshot taken = {};

    LiftedTo lift() {
        stage.let_others_run();
        return lift_settled(database->horizon, database->pairs.mutex(), node.clock.read(stage.true_ms));
    }
    Settled gather(std::int64_t settled_ms) {
        stage.let_others_run();
        if (settled_ms == 0) return {none_settled, HeldBy::none, 0};
        const SharedMemory &shared = *node.shared;
        Announcements<NoLock> all{shared.process_entries, max_sessions, shared.prepared, max_prepared + max_sessions,
                                  &node.shared->old_ended};
        return idgen::gather(settled_ms, all, database->database, *this, stage.let_others_run);
    }
    std::uint64_t next_xid() const {
        stage.let_others_run();
        return node.ledger.next;
    }
    SnapshotView take_snapshot() {
        stage.let_others_run();
        taken = node.take_snapshot();
        return taken.view();
    }
    PagePairs read_pairs() const {
        stage.let_others_run();
        return node.replayed_pairs[number];
    }

    bool is_in(std::uint32_t process, const LocalTransaction &transaction) const noexcept {
        const Process &found = node.shared->processes[process];
        return found.pid == transaction.pid && found.transaction == transaction.number;
    }
    bool is_in_progress(std::uint32_t xid) const noexcept { return node.is_in_progress(xid); }
    template <class Visit>
    void for_each_old(Visit visit) const {
        for (const PreparedTransaction &transaction : node.ledger.prepared)
            if (transaction.xid < node.shared->first_xid)
                visit(half_of(transaction.xid), transaction.database == number);
    }
};

class Reader {
   public:
    Reader() = default;
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    void connect(Node &node, int database) noexcept {
        disconnect();
        node_ = &node;
        number_ = database;
    }
    void disconnect() {
        end_transaction();
        node_ = nullptr;
    }
    void end_transaction() {
        held_.clear();
        answers_.clear();
        memory_.clear();
        has_begun_ = false;
    }

    Node *node() const noexcept { return node_; }
    int database() const noexcept { return number_; }
    std::vector<HeldSnapshot> &held() noexcept { return held_; }
    const HeldSnapshot &hold(HeldSnapshot snapshot) {
        if (!has_begun_) since_ = snapshot.lsn;
        has_begun_ = true;
        held_.push_back(std::move(snapshot));
        return held_.back();
    }
    // The record that its first snapshot was of.
    Lsn since() const noexcept { return since_; }

    // What this transaction was answered before for a snapshot like that; null: nothing.
    const KeptAnswer *find(const HeldSnapshot &query) const noexcept { return answers_.find(query.view()); }
    void keep(const HeldSnapshot &query, std::int64_t until) {
        Memory &memory = memory_.emplace_back();
        memory.query = query;
        memory.answer = {memory.query.view(), until, nullptr};
        answers_.add(memory.answer);
    }

    bool is_busy = false;  // in the middle of an answer

   private:
    struct Memory {
        HeldSnapshot query;
        KeptAnswer answer;
    };
    Node *node_ = nullptr;
    int number_ = 0;
    bool has_begun_ = false;
    Lsn since_ = 0;
    std::vector<HeldSnapshot> held_;
    KeptAnswers answers_;
    std::deque<Memory> memory_;
};

// Looks at what is settled and tells standbys, if that is due, as the end of a transaction does.
void tell_standbys(Stage &stage, Node &node, int database);

}  // namespace idgen::sim
