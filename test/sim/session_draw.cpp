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
        borrowed_tick_ = borrowed_before_ = -1;
    }
    note_resets(history_, database_->resets);
    step_ = Step::limits;
}

void Session::read_limits(Stage &stage) {
    limits_ = limits_of(database_->horizon, limits_.now_ms, rules(stage), stage.let_others_run);
    base_ = base_of(source_, limits_);
    if (base_ < 0) return abandon(stage);
    if (kind_ != kind_hlc) {
        step_ = Step::announce;
        return;
    }
    begin_try(source_, base_);
    step_ = is_selected(source_) ? Step::take : Step::select;
}

void Session::announce(Stage &stage) {
    auto database = static_cast<std::uint32_t>(number_of_database_ + 1);
    LocalTransaction transaction{announcing().pid, announcing().transaction};
    if (!is_announced(announced_, transaction.number, start_of(source_.packing, base_)))
        base_ = idgen::announce(announcement(), announced_, database_->horizon, database, transaction, source_.packing,
                                base_, stage.let_others_run);
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
                        node_->shared->leases.claimed_ms(shard)};
    std::int64_t floors_ms[max_databases];
    for (int i = 0; i < max_databases; i++) floors_ms[i] = node_->shared->databases[i].horizon.floor_ms;
    Shortage shortage = Shortage::none;
    source_.slot = directory.obtain(*database_, request, shortage);
    for (int i = 0; i < max_databases; i++)
        stage.oracle.expect(node_->shared->databases[i].horizon.floor_ms <= std::max(floors_ms[i], limits_.now_ms),
                            "a slot is taken back before its time");
    if (shortage != Shortage::none) return abandon(stage);
    step_ = Step::take;
}

void Session::take_ids(Stage &stage) {
    Take taken{};
    if (try_slot(source_, limits_, base_, count_, taken)) {
        if (taken.status == Take::Status::ok) judge_lead(stage, taken);
        return follow(stage, taken);
    }
    step_ = is_selected(source_) ? Step::take : Step::select;
}

// Beside sessions that borrow, one that waits is told to wait no longer than for the lead that they have.
void Session::judge_refusal(Stage &stage, const Take &taken) {
    const LastTick &last = last_tick();
    bool is_moved = source_.slot.entry->slot.sequence == no_sequence;
    if (!last.is_borrowed || is_moved || taken.tick != last.tick + 1) return;
    std::int64_t admitted_ms = std::min(last.lead_ms, limits_.max_lead_ms);
    std::int64_t lead_ms = start_of(source_.packing, taken.tick) - limits_.now_ms;
    stage.oracle.expect(taken.wait_ms <= lead_ms - admitted_ms, "a session that waits gets no turn");
}

// A session that waits begins a tick ahead of the clock only as far ahead as a borrowed one before it.
void Session::judge_lead(Stage &stage, const Take &taken) {
    LastTick &last = last_tick();
    std::int64_t lead_ms = start_of(source_.packing, taken.tick) - limits_.now_ms;
    if (taken.tick <= last.tick) return;
    // The tick of an ID that was observed is borrowed, and a borrowed tick is so on every shard that the session goes
    // on to.
    bool is_chosen = source_.session != nullptr && borrowed_tick_ == taken.tick;
    bool is_held = source_.session != nullptr && history_.last.tick == taken.tick && !is_chosen;
    bool begins_ahead = lead_ms > 0 && taken.tick > base_;
    bool is_borrowed = begins_ahead && (limits_.may_borrow || !is_held);
    bool is_kept = is_chosen || (last.is_borrowed && lead_ms <= last.lead_ms);
    stage.oracle.expect(!is_borrowed || limits_.may_borrow || is_kept, "a session that waits adds to the lead");
    last = {taken.tick, lead_ms, is_borrowed};
}

// Counts what lies ahead of the clock, as the server does.
void Session::count_lead(Stage &stage, const Take &taken) {
    std::int64_t lead_ms = start_of(source_.packing, taken.tick) - node_->clock.read(stage.true_ms);
    if (lead_ms <= 0) return;
    note_ahead(source_, taken.tick, taken.count, lead_ms);
    if (source_.session != nullptr && last_tick().is_borrowed) borrowed_tick_ = taken.tick;
}

void Session::follow(Stage &stage, const Take &taken) {
    DrawRules rules = this->rules(stage);
    bool is_full = taken.status == Take::Status::full || taken.status == Take::Status::borrowed;
    if (is_full) judge_refusal(stage, taken);
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
        case Next::borrowed:
        case Next::behind:
        case Next::past_end:
            return abandon(stage);
    }
}

// Says what is missing, and sleeps; then the slot is selected again.
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
    Grant grant = grant_for(database_->horizon, start_ms, stage.settings.rules.window_ms);
    if (grant == Grant::over) {
        step_ = Step::clock;
        return;
    }
    std::int64_t id = first_id(source_, taken);
    stage.trace.say(
        "%4lld session %d node %d: issues kind %d of database %d: %lld %u/%u + %u (clock %lld, floor %lld, "
        "grant %lld)",
        Stage::since_start(stage.true_ms), number_, node_->number, kind_, number_of_database_,
        Stage::since_start(start_ms), packed_shard(source_), taken.sequence, taken.count,
        Stage::since_start(limits_.now_ms), Stage::since_start(limits_.floor_ms),
        Stage::since_start(limits_.granted_ms));
    note_drawn(source_, taken);
    count_lead(stage, taken);
    stage.oracle.issue(*node_, number_of_database_, start_ms, limits_);
    stage.oracle.expect(id > above_, "an ID is not above the one before");
    if (kind_ != kind_hlc) {
        stage.oracle.expect(id >= node_->settled_ids[number_of_database_][kind_],
                            "an ID is drawn below what is settled");
        std::int64_t &lowest = storing().drawn.ids[kind_];
        lowest = std::min(lowest, id);
    }
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
    store_some(stage);
    if (stage.random.one_in(4)) return end_some(stage);
    begin_draw(stage);
    if (grant == Grant::half_used) begin_renewal(Record::horizon, start_ms, true);
}

}  // namespace idgen::sim
