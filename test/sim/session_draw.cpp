// A draw of IDs or timestamps from slots.
#include "core/kinds/hlc.hpp"
#include "session.hpp"

namespace idgen::sim {

void Session::read_clock(Stage &stage) {
    limits_.now_ms = node_->clock.read(stage.true_ms);
    stage.oracle.note_clock(limits_.now_ms, stage.settings.rules.max_lead_ms);
    if (history_.resets != database_->resets) {
        made_ = above_ = 0;
        before_ = {};
    }
    note_resets(history_, database_->resets);
    step_ = Step::limits;
}

void Session::read_limits(Stage &stage) {
    limits_ = limits_of(database_->horizon, limits_.now_ms, rules(stage), stage.let_others_run);
    base_ = base_of(source_, limits_);
    if (base_ < 0) return abandon(stage);
    begin_try(source_, base_);
    step_ = is_selected(source_) ? Step::take : Step::select;
}

void Session::select(Stage &stage) {
    SlotDirectory directory = node_->directory();
    const Scenario &s = stage.scenario;
    if (source_.pool.empty()) return wait_for_number(stage);
    std::uint32_t shard = select_shard(source_);
    if (s.has_registry()) {
        source_.lease = node_->shared->leases.find(shard);
        stage.let_others_run();
    }
    const Layout &layout = kind_ == kind_hlc ? hlc_layout : s.layouts[kind_];
    SlotRequest request{{key_of(layout), database_->database, shard},
                        layout,
                        is_own_ ? Claim::own : Claim::other,
                        s.share,
                        limits_.now_ms,
                        s.slot_idle_ms,
                        node_->shared->leases.taken_ms(shard)};
    std::int64_t floors_ms[max_databases];
    for (int i = 0; i < max_databases; i++) floors_ms[i] = node_->shared->databases[i].horizon.floor_ms;
    Shortage shortage = Shortage::none;
    source_.slot = directory.obtain(*database_, request, shortage);
    for (int i = 0; i < max_databases; i++)
        stage.oracle.expect(
            node_->shared->databases[i].horizon.floor_ms <= std::max(floors_ms[i], limits_.now_ms),
            "a slot is taken back before its time");
    if (shortage != Shortage::none) return abandon(stage);
    step_ = Step::take;
}

void Session::take_ids(Stage &stage) {
    Take taken{};
    if (try_slot(source_, limits_, base_, count_, taken) == Answer::final) return follow(stage, taken);
    step_ = is_selected(source_) ? Step::take : Step::select;
}

void Session::follow(Stage &stage, const Take &taken) {
    DrawRules rules = this->rules(stage);
    switch (next_step(taken, source_.packing, limits_, rules, waited_ms(stage))) {
        case Next::issue:
            return issue(stage, taken);
        case Next::renew:
            return begin_renewal(Record::horizon, start_of(source_.packing, taken.tick), false);
        case Next::wait:
            wait_ms_ = taken.wait_ms;
            step_ = Step::wait;
            return;
        case Next::keep:
            return wait_for_number(stage);
        case Next::full:
        case Next::behind:
        case Next::past_end:
            return abandon(stage);
    }
}

// Says what is missing, and sleeps; then the slot is selected anew.
void Session::wait_for_number(Stage &stage) {
    bool is_other = has_other_numbers(stage);
    if (is_other) resolve(stage);
    if (stage.random.one_in(20) || (is_other && !is_own_)) return abandon(stage);
    if (stage.scenario.pool_count == 0) node_->shared->leases.want(source_.shard);
    source_.slot.entry = nullptr;
    wait_ms_ = 0;
    step_ = Step::wait;
    // A client that has another server to go to.
    if (stage.random.one_in(4)) disconnect();
}

void Session::issue(Stage &stage, const Take &taken) {
    const Packing &p = source_.packing;
    std::int64_t start_ms = start_of(p, taken.tick);
    std::int64_t id = first_id(source_, taken);
    stage.trace.say(
        "%4lld session %d node %d: issues kind %d of database %d: %lld %u/%u + %u (clock %lld, floor %lld, "
        "grant %lld)",
        Stage::since_start(stage.true_ms), number_, node_->number, kind_, number_of_database_,
        Stage::since_start(start_ms), packed_shard(source_), taken.sequence, taken.count,
        Stage::since_start(limits_.now_ms), Stage::since_start(limits_.floor_ms),
        Stage::since_start(limits_.granted_ms));
    note_drawn(source_, taken);
    stage.oracle.issue(*node_, number_of_database_, start_ms, limits_);
    stage.oracle.expect(id > above_, "an ID is not above the one before");
    stage.oracle.rise(node_->last_ids[number_of_database_][kind_][packed_shard(source_)], id);
    if (stage.scenario.has_registry()) {
        stage.registry.note_made(source_.shard, start_ms);
        stage.oracle.expect(start_ms < stage.registry.highest_ms(source_.shard),
                            "a tick starts at or above the registry's horizon");
    }
    for (std::uint32_t i = 0; i < taken.count; i++) {
        stage.oracle.make(node_->scopes[number_of_database_], kind_, id);
        made_ = node_->last_ids[number_of_database_][kind_][packed_shard(source_)] = id;
        id += std::int64_t{1} << p.sequence_shift;
    }
    stage.tokens[kind_] = made_;
    // A clock of many nodes: one received the last timestamp of a millisecond.
    if (kind_ == kind_hlc && stage.random.one_in(4)) stage.tokens[kind_] |= hlc_last_logical;
    draws_++;
    begin_draw(stage);
    if (is_half_used(limits_.granted_ms, start_ms, stage.settings.rules.window_ms))
        begin_renewal(Record::horizon, start_ms, true);
}

}  // namespace idgen::sim
