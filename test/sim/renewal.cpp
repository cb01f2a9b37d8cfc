#include "renewal.hpp"

#include "core/draw/moves.hpp"
#include "reader.hpp"

namespace idgen::sim {

bool RecordHost::try_lock() {
    renewer_.rest();
    if (database_.is_locked) return false;
    database_.is_locked = true;
    renewer_.note_locked(true);
    renewer_.rest();
    return true;
}

void RecordHost::unlock() {
    database_.is_locked = false;
    renewer_.note_locked(false);
}

// Where the server can raise an error: the lock goes, and what the steps before it changed in shared memory stays.
void RecordHost::may_fail() {
    if (!renewer_.fails()) return;
    RecordHost::unlock();
    stage_.trace.say("%4lld node %d: a write to database %d fails", Stage::since_start(stage_.true_ms), node_.number,
                     number_);
    renewer_.fail();
}

Renewal RecordHost::lock_page(RecordPage &page) {
    may_fail();
    page_ = node_.disk.page(number_, kind_);
    page = {page_.record, page_.pairs};
    has_read_ = true;
    renewer_.let_others_run();
    return Renewal::granted;
}

std::uint64_t RecordHost::write_page(const RecordPage &page) {
    bool is_horizon = kind_ == Record::horizon;
    WalEntry written{number_, kind_, page.record, {}, false};
    written.pairs = page.pairs;
    if (is_horizon) stage_.oracle.renew(node_, page_, written, view_, start_ms_);
    may_fail();
    if (is_horizon) stage_.oracle.note_renewed(node_, number_);
    has_written_ = true;
    trace_write(is_horizon ? "writes H" : "writes generator",
                is_horizon ? Stage::since_start(page.record.value) : page.record.value);
    Lsn lsn = node_.disk.write(written);
    renewer_.let_others_run();
    return lsn;
}

void RecordHost::trace_write(const char *what, std::int64_t value) const {
    stage_.trace.say("%4lld node %d: %s %lld of database %d (clock %lld, floor %lld)",
                     Stage::since_start(stage_.true_ms), node_.number, what, static_cast<long long>(value), number_,
                     Stage::since_start(view_.clock.now_ms), Stage::since_start(database_.horizon.floor_ms));
}

void RecordHost::unlock_page() {
    renewer_.let_others_run();
    std::int64_t &loaded_ms = node_.old_floors_ms[number_];
    if (kind_ == Record::horizon && loaded_ms == 0) loaded_ms = database_.horizon.floor_ms;
}

void RecordHost::flush(std::uint64_t lsn) {
    renewer_.rest();
    node_.disk.flush(lsn);
    renewer_.rest();
}

bool RecordHost::is_acknowledged(std::uint64_t lsn) const {
    return stage_.is_acknowledged(node_, lsn);
}

SettledPair RecordHost::look() {
    ServerOfReader server{stage_, node_, &database_, number_};
    return idgen::look(server);
}

void RecordHost::note_reached(std::int64_t ms) const noexcept {
    std::int64_t &reached_ms = node_.left_leases.reached_ms;
    reached_ms = std::max(reached_ms, ms);
}

// A generator lasts for long; here few of its counters are left.
void RecordHost::note_granted() noexcept {
    GeneratorCount first{};
    DecimalCounter &counter = database_.generators.counter;
    if (kind_ == Record::generator && counter.take(first)) counter.begin(first.generator, last_counter - 3);
}

void RecordHost::write_unflushed(const RecordPage &page) {
    WalEntry written = page_;
    written.pairs = page.pairs;
    written.is_vouched = false;
    node_.disk.write(written);
    trace_write("tells what is settled of", Stage::since_start(ms_of_until(page.pairs.newest())));
}

// Somebody says that the clock is right.
std::int64_t RecordHost::clock_difference_ms() {
    std::int64_t difference_ms = node_.read_clock(stage_.true_ms).difference_ms;
    stage_.oracle.confirm(node_, difference_ms);
    return difference_ms;
}

std::uint64_t RecordHost::write_first(const DurableRecord &record) {
    return node_.disk.write({number_, kind_, record, {}, kind_ == Record::horizon});
}

Outcome RecordHost::note_refused(const Outcome &outcome) const noexcept {
    stage_.common.counts.refused += outcome.renewal == Renewal::resumed;
    return outcome;
}

Outcome RecordHost::renew(std::int64_t start_ms) {
    start_ms_ = start_ms;
    view_ = stage_.view_of(node_, renewer_.settings_of(stage_));
    stage_.oracle.note_clock(view_.clock.now_ms, view_.rules.max_lead_ms);
    if (kind_ == Record::generator) {
        CounterRenewal renewal{{database_.generators, view_}};
        return note_refused(idgen::renew(*this, renewal));
    }
    ReadRenewal<Database> renewal{{database_.horizon, node_.shared->accepted, view_, start_ms}, database_};
    Outcome outcome;
    if (!renew_by_pending(*this, renewal, outcome)) outcome = idgen::renew(*this, renewal);
    if (has_read_ && !has_written_) stage_.oracle.refuse(outcome, page_.record.value, view_);
    return note_refused(outcome);
}

// What somebody moves by hand.
namespace {

// Notes that a record is this machine's, unless that was copied meanwhile.
void note_confirmed(Node &node, int database, Record kind) noexcept {
    bool is_own = node.disk.page(database, kind).record.machine == node.machine_name();
    if (is_own) node.is_resumed(database, kind) = Resumed::no;
}

// Notes for the oracle what a move writes and finishes.
class MoveHost : public RecordHost {
   public:
    MoveHost(Stage &stage, Node &node, Database &database, int number, Admin &admin, Admin::Task task,
             std::int64_t at_ms)
        : RecordHost(stage, node, database, number, Record::horizon, admin),
          admin_(admin),
          task_(task),
          at_ms_(at_ms) {}

    std::uint64_t write_page(const RecordPage &page);
    template <class Visit>
    void in_directory(Visit visit) {
        expect(is_flushed(lsn_), "what follows from a move comes before its record is flushed");
        expect(admin_.is_locked(), "what follows from a move comes beside renewals");
        RecordHost::in_directory(visit);
    }
    void unlock();
    void wait_for_standbys();
    bool is_durable() const { return lsn_ == 0 || (is_flushed(lsn_) && is_acknowledged(lsn_)); }

   private:
    // With a registry, a shard of which others made IDs begins here at R, above them.
    std::int64_t made_ms() const noexcept {
        std::int64_t made_ms = stage_.oracle.reached_ms(node_.scopes[number_]);
        return stage_.scenario.has_registry() ? std::min(made_ms, made_ms_) : made_ms;
    }
    void expect(bool is_so, const char *else_what) { stage_.oracle.expect(is_so, else_what); }
    void forget_answers() noexcept;
    void note_finished();

    Admin &admin_;
    Admin::Task task_;
    std::int64_t at_ms_;
    Lsn lsn_ = 0;
    std::int64_t made_ms_ = 0;  // by this server, when the page was written
};

// Readers begin again at the instant from which IDs are made again.
void MoveHost::forget_answers() noexcept {
    for (int i = 0; i < stage_.scenario.layout_count; i++) {
        std::int64_t &highest = node_.settled_ids[number_][i];
        highest = std::min(highest, settled_id(stage_.scenario.packings[i], until_start(at_ms_)));
    }
    node_.begun[number_] = node_.disk.inserted() + 1;
}

std::uint64_t MoveHost::write_page(const RecordPage &page) {
    may_fail();
    WalEntry written = page_;
    written.record = page.record;
    written.pairs = page.pairs;
    made_ms_ = node_.directory().made_ms(database_);
    if (task_ == Admin::Task::reset_to_last) at_ms_ = page.record.value;
    written.is_vouched = task_ == Admin::Task::reset || task_ == Admin::Task::reset_to_last;
    if (task_ == Admin::Task::reset) forget_answers();
    return lsn_ = node_.disk.write(written);
}

void MoveHost::note_finished() {
    std::int64_t &floor_ms = node_.old_floors_ms[number_];
    switch (task_) {
        case Admin::Task::advance:
            floor_ms = std::max(floor_ms, at_ms_);
            break;
        case Admin::Task::reset:
            expect(node_.directory().reached_ms(database_) <=
                       std::max(at_ms_, node_.shared->leases.last_claimed_ms()) + 1000,
                   "a slot is left above a reset");
            floor_ms = at_ms_;
            node_.forget_ids(number_);
            break;
        case Admin::Task::reset_to_last:
            floor_ms = at_ms_;
            // Copies of a machine have a scope in common until they are seen to be some.
            expect(stage_.oracle.was_copied() || floor_ms >= made_ms(), "a reset goes below the last ID");
            break;
        case Admin::Task::confirm:
            node_.origin = node_.system;
            note_confirmed(node_, number_, Record::horizon);
            break;
    }
}

void MoveHost::unlock() {
    bool is_moved = lsn_ != 0;
    if (is_moved) note_finished();
    RecordHost::unlock();
    if (!is_moved) return;
    stage_.trace.say("%4lld node %d: database %d is moved to %lld", Stage::since_start(stage_.true_ms), node_.number,
                     number_, Stage::since_start(at_ms_));
}

// A cancel ends the wait, and what was moved stays moved.
void MoveHost::wait_for_standbys() {
    expect(!admin_.is_locked(), "a move by hand waits for standbys with the lock of renewals");
    RecordHost::wait_for_standbys();
    if (stage_.random.one_in(20)) admin_.cancel();
}

}  // namespace

void Admin::begin(Stage &stage, Node &node, int database, Task task, std::int64_t at_ms) noexcept {
    stage_ = &stage;
    node_ = &node;
    number_ = database;
    task_ = task;
    at_ms_ = at_ms;
    machine_ = node.machine();
    is_locked_ = false;
    static char stack[1 << 18];
    fiber_.begin(stack, sizeof(stack), run, this);
}

void Admin::run(void *admin) {
    static_cast<Admin *>(admin)->move();
}

// Confirms the launch number of DecimalIds, too.
void Admin::confirm_launch() {
    Database &database = *node_->directory().find_database(static_cast<std::uint32_t>(number_ + 1));
    RecordHost generators(*stage_, *node_, database, number_, Record::generator, *this);
    ServerView server = stage_->view_of(*node_);
    confirm_generators(generators, server, machine_);
    note_confirmed(*node_, number_, Record::generator);
}

void Admin::move() {
    Database &database = *node_->directory().find_database(static_cast<std::uint32_t>(number_ + 1));
    ServerView server = stage_->view_of(*node_);
    stage_->oracle.note_clock(server.clock.now_ms, server.rules.max_lead_ms);
    MoveHost host(*stage_, *node_, database, number_, *this, task_, at_ms_);
    switch (task_) {
        case Task::advance:
            move_by_hand(host, AdvanceMove{server, at_ms_});
            break;
        case Task::reset:
            move_by_hand(host, ResetMove{server, node_->shared->accepted, at_ms_, true, {}, 0});
            break;
        case Task::reset_to_last:
            move_by_hand(host, ResetMove{server, node_->shared->accepted, 0, false, {}, 0});
            break;
        case Task::confirm:
            move_by_hand(host, ConfirmMove{server, machine_});
            if (node_->is_told) confirm_launch();
            break;
    }
    stage_->oracle.expect(host.is_durable(), "a move by hand returns before it is durable");
}

}  // namespace idgen::sim
