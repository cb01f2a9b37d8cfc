#include "renewal.hpp"

#include "reader.hpp"

namespace idgen::sim {

bool RenewalSteps::step(Stage &stage, Database &database) {
    switch (step_) {
        case Step::view:
            take_view(stage, database);
            return false;
        case Step::lock:
            return lock(database);
        case Step::page:
            return visit([&](auto &steps) { return read_page(stage, steps, database); });
        case Step::flush:
            node_->disk.flush(lsn_);
            step_ = Step::note;
            return false;
        case Step::note:
            step_ = Step::standbys;
            return visit([&](auto &steps) {
                steps.note_flushed(record_, lsn_);
                return false;
            });
        case Step::standbys:
            break;
    }
    return visit([&](auto &steps) { return ask_standbys(stage, steps, database); });
}

void RenewalSteps::take_view(Stage &stage, Database &database) {
    view_ = stage.view_of(*node_);
    stage.oracle.note_clock(view_.clock.now_ms, view_.rules.max_lead_ms);
    horizon_.emplace(HorizonRenewal{database.horizon, node_->shared->accepted, view_, start_ms_});
    generator_.emplace(GeneratorRenewal{database.generators, view_});
    step_ = Step::lock;
}

bool RenewalSteps::lock(Database &database) {
    if (database.is_locked) {
        outcome_ = {Renewal::busy, 0};
        return true;
    }
    database.is_locked = true;
    return visit([&](auto &steps) { return begin_with(steps, database); });
}

template <class Steps>
bool RenewalSteps::begin_with(Steps &steps, Database &database) {
    RenewalStep first = steps.begin();
    if (first == RenewalStep::done) return end(database, granted_outcome);
    step_ = first == RenewalStep::read_page ? Step::page : Step::standbys;
    return false;
}

// Judges the page and writes it, under its lock.
template <class Steps>
bool RenewalSteps::read_page(Stage &stage, Steps &steps, Database &database) {
    bool is_horizon = kind_ == Record::horizon;
    if (is_horizon) look(stage, database);
    WalEntry page = node_->disk.page(number_, kind_);
    PageVerdict verdict = steps.judge(page.record);
    WalEntry written{number_, kind_, verdict.record, {}, false};
    written.pairs = page.pairs;
    if (verdict.is_to_write) steps.renew_pairs(written.pairs);
    std::int64_t &loaded_ms = node_->old_floors_ms[number_];
    if (is_horizon && loaded_ms == 0) loaded_ms = database.horizon.floor_ms;
    if (!verdict.is_to_write) {
        note_page(stage, database, page.pairs, node_->disk.position(number_, kind_));
        if (is_horizon) stage.oracle.refuse(verdict.outcome, page.record.value, view_);
        return end(database, verdict.outcome);
    }
    record_ = verdict.record;
    if (is_horizon) stage.oracle.renew(*node_, page, written, view_, start_ms_);
    lsn_ = node_->disk.write(written);
    note_page(stage, database, written.pairs, lsn_);
    step_ = Step::flush;
    stage.trace.say("%4lld node %d: writes %s %lld of database %d (clock %lld, floor %lld)",
                    Stage::since_start(stage.true_ms), node_->number, is_horizon ? "H" : "generator",
                    is_horizon ? Stage::since_start(record_.value) : static_cast<long long>(record_.value), number_,
                    Stage::since_start(view_.clock.now_ms), Stage::since_start(database.horizon.floor_ms));
    return false;
}

// Looks at what is settled: for standbys, and for transactions that ask late.
void RenewalSteps::look(Stage &stage, Database &database) {
    ServerOfReader server{stage, *node_, &database, number_};
    std::uint32_t drops = database.pairs.drops();
    horizon_->pair = idgen::look(server);
    if (horizon_->pair.until != none_settled) database.pairs.add(horizon_->pair, drops);
}

void RenewalSteps::note_page(const Stage &stage, Database &database, const PagePairs &pairs, Lsn lsn) noexcept {
    if (kind_ != Record::horizon) return;
    note_told(database.horizon, pairs);
    if (stage.is_acknowledged(*node_, lsn)) note_durable(database.horizon);
}

template <class Steps>
bool RenewalSteps::ask_standbys(Stage &stage, Steps &steps, Database &database) {
    if (!stage.is_acknowledged(*node_, steps.position())) return end(database, {Renewal::not_acknowledged, 0});
    std::int64_t &reached_ms = node_->left_leases.reached_ms;
    reached_ms = std::max(reached_ms, database.horizon.record.pending);
    steps.grant();
    // A generator lasts for long; here few of its counters are left.
    if (kind_ == Record::generator) {
        GeneratorCount first{};
        if (database.generators.counter.take(first))
            database.generators.counter.begin(first.generator, last_counter - 3);
    }
    return end(database, granted_outcome);
}

bool RenewalSteps::end(Database &database, const Outcome &outcome) {
    database.is_locked = false;
    outcome_ = outcome;
    return true;
}

}  // namespace idgen::sim
