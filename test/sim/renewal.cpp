#include "renewal.hpp"

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

Renewal RecordHost::lock_page(RecordPage &page) {
    page_ = node_.disk.page(number_, kind_);
    page = {page_.record, page_.pairs};
    has_read_ = true;
    return Renewal::granted;
}

std::uint64_t RecordHost::write_page(const RecordPage &page) {
    bool is_horizon = kind_ == Record::horizon;
    WalEntry written{number_, kind_, page.record, {}, false};
    written.pairs = page.pairs;
    if (is_horizon) stage_.oracle.renew(node_, page_, written, view_, start_ms_);
    has_written_ = true;
    trace_write(is_horizon ? "writes H" : "writes generator",
                is_horizon ? Stage::since_start(page.record.value) : page.record.value);
    return node_.disk.write(written);
}

void RecordHost::trace_write(const char *what, std::int64_t value) const {
    stage_.trace.say("%4lld node %d: %s %lld of database %d (clock %lld, floor %lld)",
                     Stage::since_start(stage_.true_ms), node_.number, what, static_cast<long long>(value), number_,
                     Stage::since_start(view_.clock.now_ms), Stage::since_start(database_.horizon.floor_ms));
}

void RecordHost::unlock_page() noexcept {
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
    view_ = stage_.view_of(node_);
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

}  // namespace idgen::sim
