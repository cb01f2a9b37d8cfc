// The transactions of a session.
#include "session.hpp"

namespace idgen::sim {

// The process that announces what it draws.
Process &Session::announcing() const noexcept {
    int leader = process().leader;
    auto number =
        announcing_process(static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(leader), leader >= 0);
    return node_->shared->processes[number];
}

void Session::attach() noexcept {
    Process &at = announcing();
    std::uint32_t pid = process().leader < 0 ? pid_ : at.pid;
    own_.attach(node_->shared->process_entries[&at - node_->shared->processes], pid, &at.transaction);
    announced_in_ = 0;
}

// Something is the transaction's now.
void Session::hand(int kind, std::uint32_t scope, std::int64_t id) {
    stage_->oracle.make(scope, kind, id);
    if (!is_orphan()) storing().handed.push_back({scope, kind, id});
}

// Whether the transaction goes on at an event; if it ends there, what it was handed is stored.
bool Session::may_end(Stage &stage, TransactionEvent event) {
    bool may_end = own_.admits(event, node_->machine());
    stage.common.counts.uncommitted += !may_end;
    if (!may_end || event == TransactionEvent::savepoint_ends || stage.scenario.machines != Machines::told)
        return may_end;
    for (const Made &made : process().handed) stage.oracle.store(made);
    process().handed.clear();
    return true;
}

// A worker whose leader is gone: what it draws is stored nowhere.
bool Session::is_orphan() const noexcept {
    return process().leader >= 0 && process().transaction == 0;
}

// Its own, or as a worker of another.
void Session::begin_transaction(Stage &stage) {
    process() = {};
    process().pid = pid_;
    process().transaction = ++transactions_;
    process().database = number_of_database_;
    auto leader = static_cast<int>(stage.random.between(0, stage.scenario.session_count - 1));
    if (leader != number_ && stage.random.one_in(3)) join(leader);
}

void Session::join(int leader) noexcept {
    Process &other = node_->shared->processes[leader];
    bool may_lead =
        other.transaction != 0 && other.leader < 0 && other.database == number_of_database_ && !other.is_ending;
    if (!may_lead) return;
    process().leader = leader;
    attach();
    other.workers++;
}

// Commits or rolls back what it stored: in the WAL, then for snapshots.
void Session::end_transaction(Stage &stage) {
    bool commits = process().leader < 0 && !is_orphan() && !stage.random.one_in(4);
    if (commits && process().xid == 0 && stage.random.one_in(2)) node_->store(process());
    commits = commits && may_end(stage, TransactionEvent::before_commit);
    Xid xid = process().xid;
    if (process().leader < 0 && xid != 0) {
        process().is_ending = true;
        Lsn lsn = node_->log_end(process(), commits);
        if (commits && stage.random.one_in(3)) node_->disk.flush(lsn);
        stage.let_others_run();
        node_->ledger.end(xid);
        stage.trace.say("%4lld session %d node %d: transaction %llu %s", Stage::since_start(stage.true_ms), number_,
                        node_->number, static_cast<unsigned long long>(xid), commits ? "commits" : "rolls back");
    }
    process().xid = 0;
    leave_transaction();
    if (commits) tell_standbys(stage, *node_, number_of_database_);
}

// A client that is gone rolls back, if its server is there, what is not prepared yet.
void Session::leave_transaction() noexcept {
    if (process().xid != 0 && node_->is_up && !node_->ledger.is_prepared(process().xid)) {
        node_->log_end(process(), false);
        node_->ledger.end(process().xid);
    }
    bool is_worker = process().leader >= 0;
    if (is_worker && !is_orphan()) node_->shared->processes[process().leader].workers--;
    for (Process &other : node_->shared->processes)
        if (other.leader == number_) other.transaction = 0;
    process() = {};
    block_ = {};
    // A worker is a process of its own each time.
    if (is_worker) attach();
}

// After a draw: goes on in the transaction, or ends it.
void Session::end_some(Stage &stage) {
    bool is_leader = process().workers > 0;
    bool is_worker = process().leader >= 0;
    if (!is_worker && stage.random.one_in(3)) {
        step_ = Step::lead;
        return;
    }
    if (!is_leader) end_transaction(stage);
    begin_draw(stage);
}

// What is drawn is stored, or will be: then the transaction gets a number. A subtransaction that is rolled back has had
// one, too, which no snapshot lists.
void Session::store_some(Stage &stage) {
    if (is_orphan()) return;
    Process &storing = this->storing();
    if (storing.xid == 0) {
        if (stage.random.one_in(3)) node_->store(storing);
        return;
    }
    if (!stage.random.one_in(12)) return;
    may_end(stage, TransactionEvent::savepoint_ends);
    Xid xid = node_->ledger.give();
    if (stage.random.one_in(2)) node_->disk.write_act(Act::store, xid, number_of_database_, {});
    stage.let_others_run();
    node_->disk.write_act(Act::abort, xid, number_of_database_, {});
    node_->ledger.end(xid);
}

// Leaves what is drawn in its transaction to its workers, of which it begins no more after a while; when they have
// ended, ends the transaction, or prepares it.
void Session::lead(Stage &stage) {
    process().is_ending |= stage.random.one_in(3);
    if (!process().is_ending || process().workers > 0) return;
    if (node_->ledger.prepared.size() < max_prepared && stage.random.one_in(2)) {
        if (process().xid == 0) node_->store(process());
        if (!may_end(stage, TransactionEvent::before_prepare)) {
            leave_transaction();
            return begin_draw(stage);
        }
        xid_ = process().xid;
        step_ = hand_over_at == HandOver::before_end ? Step::hand_over : Step::record;
        return;
    }
    end_transaction(stage);
    begin_draw(stage);
}

// Prepares the transaction: three steps, of which the server makes the last two. Between those, where it may wait for a
// synchronous standby, snapshots list it twice.
void Session::hand_over(Stage &stage) {
    SharedMemory &shared = *node_->shared;
    node_->note_first_xid();
    auto database = static_cast<std::uint32_t>(number_of_database_ + 1);
    PreparedAnnouncement announcement = own_.announcement(database, half_of(xid_));
    bool has_room = idgen::hand_over(shared.prepared, max_prepared + max_sessions, announcement,
                                     [&](std::uint32_t xid) { return node_->is_in_progress(xid); });
    stage.oracle.expect(has_room, "no room for a prepared transaction");
    step_ = Step::record;
    if (hand_over_at == HandOver::after_end) begin_draw(stage);
}

void Session::record() {
    node_->disk.flush(node_->disk.write_act(Act::prepare, xid_, number_of_database_, process().drawn));
    node_->ledger.prepared.push_back({xid_, number_of_database_, process().drawn, false, 0});
    step_ = Step::leave;
}

void Session::leave(Stage &stage) {
    if (!stage.random.one_in(stage.scenario.prepare_interval)) return;
    process().xid = 0;
    leave_transaction();
    if (hand_over_at == HandOver::before_end) return begin_draw(stage);
    step_ = Step::hand_over;
}

}  // namespace idgen::sim
