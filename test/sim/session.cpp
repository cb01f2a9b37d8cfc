#include "session.hpp"

namespace idgen::sim {

void Session::connect(Stage &stage, int number, Node &node) {
    *this = Session{};
    number_ = number;
    node_ = &node;
    packing_ = static_cast<int>(stage.random.between(0, stage.scenario.packing_count - 1));
    is_pool_ = !stage.random.one_in(3);
    shard_ = static_cast<std::uint32_t>(stage.random.between(0, stage.scenario.shard_count - 1));
    if (is_pool_) cursor_.aim(static_cast<std::uint32_t>(number), stage.scenario.shard_count);
    begin_draw(stage);
}

void Session::step(Stage &stage) {
    switch (step_) {
        case Step::clock:
            return read_clock(stage);
        case Step::first_limit:
            return read_limit(stage, true);
        case Step::second_limit:
            return read_limit(stage, false);
        case Step::aim:
            return aim(stage);
        case Step::take:
            return take_ids(stage);
        case Step::wait:
            return wait(stage);
        case Step::renew:
            return begin_renewal();
        case Step::page:
            return write_page(stage);
        case Step::flush:
            node_->disk.flush(lsn_);
            step_ = Step::note;
            return;
        case Step::note:
            return note_page(stage);
        case Step::poll:
            return poll_standby(stage);
    }
}

void Session::begin_draw(Stage &stage) {
    count_ = stage.random.one_in(3) ? static_cast<std::uint32_t>(stage.random.between(2, 9)) : 1;
    step_ = Step::clock;
}

void Session::read_clock(Stage &stage) {
    const Scenario &s = stage.scenario;
    limits_.now_ms = node_->clock.read(stage.true_ms);
    limits_.max_lead_ms = stage.lacks(Weakness::no_ceiling) ? 1000000000 : s.rules.max_lead_ms;
    limits_.may_borrow = s.may_borrow;
    stage.oracle.note_clock(limits_.now_ms);
    step_ = Step::first_limit;
}

void Session::read_limit(Stage &stage, bool is_first) {
    bool is_grant = is_first != stage.lacks(Weakness::floor_before_grant);
    if (is_grant)
        limits_.granted_ms = node_->horizon.granted_ms.load();
    else
        limits_.floor_ms = node_->horizon.floor_ms.load();
    step_ = Step::second_limit;
    if (!is_first) begin_try(stage);
}

void Session::begin_try(Stage &stage) {
    base_ = base_tick(stage.scenario.packings[packing_], limits_);
    if (is_pool_ && base_ > last_.tick) cursor_.begin_tick();
    bool is_aimed = handle_.number >= 0 && (!is_pool_ || rank_ == cursor_.rank());
    step_ = is_aimed ? Step::take : Step::aim;
}

void Session::aim(Stage &stage) {
    if (is_pool_) shard_ = rank_ = cursor_.rank();
    handle_ = obtain_slot(*node_, stage.scenario, packing_, shard_, limits_.now_ms, stage.weakness);
    step_ = handle_.number >= 0 ? Step::take : Step::clock;
}

bool Session::move_up(const Packing &p) {
    if (!is_pool_) return false;
    bool may_move = p.shard_above || last_.tick < base_;
    return may_move && cursor_.advance();
}

void Session::take_ids(Stage &stage) {
    const Packing &p = stage.scenario.packings[packing_];
    SharedSlot &slot = node_->slots[handle_.number];
    if (slot.generation != handle_.generation && !stage.lacks(Weakness::generation_ignored)) {
        handle_ = {};
        step_ = Step::aim;
        return;
    }
    Place above = is_pool_ ? lowest_above(p, last_, shard_) : before_all;
    Take taken = take(slot.slot, p, limits_, base_, shard_, above, count_);
    switch (taken.status) {
        case Take::Status::ok:
            return issue(stage, taken);
        case Take::Status::renew:
            start_ms_ = start_of(p, taken.tick);
            step_ = Step::renew;
            return;
        case Take::Status::full:
            if (move_up(p)) {
                step_ = Step::aim;
                return;
            }
            [[fallthrough]];
        case Take::Status::ahead:
        case Take::Status::past_end:
            wait_ms_ = taken.wait_ms;
            step_ = Step::wait;
    }
}

void Session::issue(Stage &stage, const Take &taken) {
    std::int64_t start_ms = start_of(stage.scenario.packings[packing_], taken.tick);
    stage.trace.say(
        "%4lld session %d node %d: issues layout %d: %lld %u/%u + %u (clock %lld, floor %lld, grant %lld)",
        Stage::since_start(stage.true_ms), number_, node_->number, packing_, Stage::since_start(start_ms),
        shard_, taken.sequence, taken.count, Stage::since_start(limits_.now_ms),
        Stage::since_start(limits_.floor_ms), Stage::since_start(limits_.granted_ms));
    stage.oracle.issue(*node_, stage.nodes[1 - node_->number], packing_, shard_, taken, limits_);
    if (is_pool_) last_ = {taken.tick, shard_, taken.sequence + taken.count - 1};
    draws_++;
    begin_draw(stage);
    if (!is_half_used(limits_.granted_ms, start_ms, stage.scenario.rules.window_ms)) return;
    start_ms_ = start_ms;
    step_ = Step::renew;
}

// Asleep until the clock admits the tick; a cancel, or max_wait, ends the draw.
void Session::wait(Stage &stage) {
    std::int64_t now_ms = node_->clock.read(stage.true_ms);
    if (stage.random.one_in(20)) return begin_draw(stage);
    if (now_ms >= limits_.now_ms + wait_ms_ || stage.random.one_in(5)) step_ = Step::clock;
}

}  // namespace idgen::sim
