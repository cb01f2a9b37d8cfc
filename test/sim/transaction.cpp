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

Announcement<NoLock> &Session::announcement() const noexcept {
    return node_->shared->announcements[&announcing() - node_->shared->processes];
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
    process().xid = xid_ = stage.next_xid++;
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
    announced_ = {};
    other.workers++;
}

void Session::end_transaction() noexcept {
    // A worker is a process of its own each time.
    if (process().leader >= 0) announced_ = {};
    if (process().leader >= 0 && !is_orphan()) node_->shared->processes[process().leader].workers--;
    for (Process &other : node_->shared->processes)
        if (other.leader == number_) other.transaction = 0;
    process() = {};
}

// After a draw: goes on in the transaction, or ends it.
void Session::end_some(Stage &stage) {
    bool is_leader = process().workers > 0;
    bool is_worker = process().leader >= 0;
    if (!is_worker && stage.random.one_in(3)) {
        step_ = Step::lead;
        return;
    }
    if (!is_leader) end_transaction();
    begin_draw(stage);
}

// Leaves what is drawn in its transaction to its workers, of which it begins no more after a while; when they have
// ended, ends the transaction, or prepares it.
void Session::lead(Stage &stage) {
    process().is_ending |= stage.random.one_in(3);
    if (!process().is_ending || process().workers > 0) return;
    if (node_->prepared.size() < max_prepared && stage.random.one_in(2)) {
        step_ = hand_over_at == HandOver::before_end ? Step::hand_over : Step::record;
        return;
    }
    end_transaction();
    begin_draw(stage);
}

// Prepares the transaction: three steps, of which the server makes the last two.
void Session::hand_over(Stage &stage) {
    SharedMemory &shared = *node_->shared;
    auto database = static_cast<std::uint32_t>(number_of_database_ + 1);
    PreparedAnnouncement announcement =
        announcement_of(shared.announcements[number_], announced_, database, {pid_, transactions_}, xid_);
    bool has_room = idgen::hand_over(shared.prepared, max_prepared + max_sessions, announcement,
                                     [&](std::uint32_t xid) { return node_->is_in_progress(xid); });
    stage.oracle.expect(has_room, "no room for a prepared transaction");
    step_ = Step::record;
    if (hand_over_at == HandOver::after_end) begin_draw(stage);
}

void Session::record() {
    node_->prepared.push_back({process().xid, number_of_database_, process().drawn});
    step_ = Step::leave;
}

void Session::leave(Stage &stage) {
    end_transaction();
    if (hand_over_at == HandOver::before_end) return begin_draw(stage);
    step_ = Step::hand_over;
}

}  // namespace idgen::sim
