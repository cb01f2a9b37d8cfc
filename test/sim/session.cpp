#include "session.hpp"

#include "core/issue/observed_id.hpp"
#include "core/kinds/decimal_id.hpp"
#include "core/kinds/hlc.hpp"

namespace idgen::sim {

void Session::connect(Stage &stage, int number, Node &node, int database) {
    node_ = &node;
    database_ = node.directory().find_database(static_cast<std::uint32_t>(database + 1));
    number_of_database_ = database;
    number_ = number;
    kind_ = static_cast<int>(stage.random.between(0, stage.scenario.layout_count - 1));
    if (stage.random.one_in(4)) kind_ = stage.random.one_in(2) ? kind_hlc : kind_decimal;
    is_own_ = !stage.random.one_in(3);
    history_ = {};
    history_.resets = database_->resets;
    made_ = 0;
    resolve(stage);
    begin_draw(stage);
}

void Session::step(Stage &stage) {
    switch (step_) {
        case Step::clock:
            return read_clock(stage);
        case Step::limits:
            return read_limits(stage);
        case Step::select:
            return select(stage);
        case Step::take:
            return take_ids(stage);
        case Step::count:
            return count_decimal(stage);
        case Step::renew:
            return renew(stage);
        case Step::wait:
            return wait(stage);
    }
}

// Looks at the settings: which shards there are.
void Session::resolve(Stage &stage) {
    std::uint32_t count = stage.settings.shard_count;
    generation_ = stage.settings.generation;
    source_ = {};
    bool is_clock = kind_ == kind_hlc;
    source_.packing = is_clock || kind_ == kind_decimal ? hlc_packing : stage.scenario.packings[kind_];
    source_.carries = is_clock;
    shards_ = {0, count - 1};
    if (!is_own_)
        shards_.first = shards_.last = static_cast<std::uint32_t>(stage.random.between(0, count - 1));
    if (is_clock) shards_ = {hlc_shard, hlc_shard};
    source_.pool = {&shards_, 1, shards_.last - shards_.first + 1};
    source_.is_pool = source_.pool.shard_count > 1;
    if (!is_own_) made_ = 0;
    if (!is_own_ || is_clock) return;
    source_.session = &history_;
    history_.cursor.aim(static_cast<std::uint32_t>(number_), source_.pool.shard_count);
}

void Session::begin_draw(Stage &stage) {
    if (generation_ != stage.settings.generation) resolve(stage);
    count_ = stage.random.one_in(3) ? static_cast<std::uint32_t>(stage.random.between(2, 9)) : 1;
    if (kind_ == kind_hlc) {
        count_ = 1;
        source_.session = nullptr;
    }
    began_ms_ = stage.true_ms;
    before_ = history_.last;
    above_ = made_;
    step_ = kind_ == kind_decimal ? Step::count : Step::clock;
    if (kind_ != kind_decimal && stage.random.one_in(4)) observe(stage);
}

// Gives up the draw, as an error or a cancel does: what was observed for it is forgotten.
void Session::abandon(Stage &stage) {
    history_.last = before_;
    begin_draw(stage);
}

// Draws above an ID that somebody else passed on, if the clock may come so far.
void Session::observe(Stage &stage) {
    const Packing &p = source_.packing;
    std::int64_t token = stage.tokens[kind_];
    std::int64_t now_ms = node_->clock.read(stage.true_ms);
    DrawHistory observed = observed_hlc(token);
    if (token == 0 || (kind_ != kind_hlc && source_.session == nullptr)) return;
    if (kind_ != kind_hlc) {
        if (!position_of(p, token, now_ms, observed)) return;
        observed = drawn_beyond(p, observed, source_.pool.largest());
    }
    if (!is_in_reach(start_of(p, observed.tick) - now_ms, rules(stage))) return;
    history_.last = kind_ == kind_hlc ? observed : later_of(p, history_.last, observed);
    source_.session = &history_;
    above_ = std::max(above_, token);
}

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
    std::uint32_t shard = select_shard(source_);
    const Layout &layout = kind_ == kind_hlc ? hlc_layout : s.layouts[kind_];
    SlotRequest request{{key_of(layout), database_->database, shard},
                        layout,
                        is_own_ ? Claim::own : Claim::other,
                        s.share,
                        limits_.now_ms,
                        s.slot_idle_ms};
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
        case Next::full:
        case Next::behind:
        case Next::past_end:
            return abandon(stage);
    }
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
    for (std::uint32_t i = 0; i < taken.count; i++) {
        stage.oracle.make(node_->scopes[number_of_database_], kind_, id);
        made_ = id;
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

void Session::count_decimal(Stage &stage) {
    GeneratorCount count{};
    if (!database_->generators.counter.take(count)) return begin_renewal(Record::generator, 0, false);
    std::uint32_t launch = node_->launches[number_of_database_];
    std::int64_t id = pack_decimal({count.counter, count.generator, launch});
    stage.trace.say("%4lld session %d node %d: issues DecimalId %lld", Stage::since_start(stage.true_ms),
                    number_, node_->number, static_cast<long long>(id));
    stage.oracle.make(0, kind_decimal, id);
    stage.oracle.note_generator(launch, count.generator);
    draws_++;
    begin_draw(stage);
}

void Session::begin_renewal(Record kind, std::int64_t start_ms, bool is_ahead) {
    renewal_.begin(*node_, number_of_database_, kind, start_ms);
    is_ahead_ = is_ahead;
    step_ = Step::renew;
}

void Session::renew(Stage &stage) {
    if (!renewal_.step(stage, *database_)) return;
    Step retry = kind_ == kind_decimal ? Step::count : Step::clock;
    step_ = retry;
    if (is_ahead_) return;
    switch (patience_after(renewal_.outcome().renewal, waited_ms(stage), stage.settings.draw.max_wait_ms)) {
        case Patience::go_on:
            return;
        case Patience::wait:
            wait_ms_ = 0;
            step_ = kind_ == kind_decimal ? Step::count : Step::wait;
            return;
        case Patience::refused:
        case Patience::exhausted:
            return abandon(stage);
    }
}

// Asleep until the clock admits the tick; a cancel ends the draw.
void Session::wait(Stage &stage) {
    std::int64_t now_ms = node_->clock.read(stage.true_ms);
    if (stage.random.one_in(20)) return abandon(stage);
    if (now_ms >= limits_.now_ms + wait_ms_ || stage.random.one_in(5)) step_ = Step::clock;
}

}  // namespace idgen::sim
