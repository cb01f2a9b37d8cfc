#include "session.hpp"

#include "core/issue/placement.hpp"
#include "core/kinds/decimal_id.hpp"
#include "core/kinds/hlc.hpp"

namespace idgen::sim {

void Session::connect(Stage &stage, int number, Node &node, int database) {
    node_ = &node;
    database_ = node.directory().find_database(static_cast<std::uint32_t>(database + 1));
    number_of_database_ = database;
    number_ = number;
    kind_ = static_cast<int>(stage.random.between(0, stage.scenario.layout_count - 1));
    bool has_others = !stage.scenario.has_registry();
    if (has_others && stage.random.one_in(4)) kind_ = stage.random.one_in(2) ? kind_hlc : kind_decimal;
    is_own_ = !stage.random.one_in(3);
    history_ = {};
    history_.resets = database_->resets;
    // Numbers that another process of that place may have used.
    pid_ = static_cast<std::uint32_t>(stage.random.between(1, 3));
    transactions_ = static_cast<std::uint32_t>(stage.random.between(0, 3));
    process() = {};
    node_->note_first_xid();
    announced_ = {};
    made_ = 0;
    borrowed_tick_ = -1;
    resolve(stage);
    begin_draw(stage);
}

void Session::disconnect() noexcept {
    if (node_ == nullptr) return;
    leave_transaction();
    node_ = nullptr;
}

void Session::step(Stage &stage) {
    if (is_orphan()) return disconnect();
    switch (step_) {
        case Step::clock:
            return read_clock(stage);
        case Step::limits:
            return read_limits(stage);
        case Step::announce:
            return announce(stage);
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
        case Step::lead:
            return lead(stage);
        case Step::hand_over:
            return hand_over(stage);
        case Step::record:
            return record();
        case Step::leave:
            return leave(stage);
    }
}

// Looks at the settings: which shards there are.
void Session::resolve(Stage &stage) {
    generation_ = stage.settings.generation;
    source_ = {};
    bool is_clock = kind_ == kind_hlc;
    source_.packing = is_clock || kind_ == kind_decimal ? hlc_packing : stage.scenario.packings[kind_];
    source_.carries = is_clock;
    if (stage.scenario.pool_count > 0)
        list_numbers(stage);
    else
        list_shards(stage);
    source_.is_pool = source_.pool.shard_count > 1;
    if (!is_own_) made_ = 0;
    if (!is_own_ || is_clock) return;
    source_.session = &history_;
    history_.cursor.aim(static_cast<std::uint32_t>(number_), std::max(source_.pool.shard_count, 1u));
}

// Goes on in another layout, in the same transaction.
void Session::change_layout(Stage &stage) {
    kind_ = static_cast<int>(stage.random.between(0, stage.scenario.layout_count - 1));
    history_ = {};
    history_.resets = database_->resets;
    made_ = 0;
    borrowed_tick_ = -1;
    resolve(stage);
}

// Those given by hand, or one of them.
void Session::list_shards(Stage &stage) {
    std::uint32_t count = stage.settings.shard_count;
    shards_[0] = {0, count - 1};
    if (!is_own_) shards_[0].first = shards_[0].last = static_cast<std::uint32_t>(stage.random.between(0, count - 1));
    if (kind_ == kind_hlc) shards_[0] = {hlc_shard, hlc_shard};
    source_.pool = {shards_, 1, shards_[0].last - shards_[0].first + 1};
}

// The numbers that the server holds, or one of them.
void Session::list_numbers(Stage &stage) {
    changes_ = node_->shared->leases.changes;
    std::uint32_t count = node_->shared->leases.list(shards_);
    if (!is_own_ && count > 1) {
        shards_[0] = shards_[stage.random.between(0, std::int64_t{count} - 1)];
        count = 1;
    }
    source_.pool = {shards_, count, count};
}

bool Session::has_other_numbers(const Stage &stage) const noexcept {
    return stage.scenario.pool_count > 0 && changes_ != node_->shared->leases.changes;
}

void Session::begin_draw(Stage &stage) {
    // Its leader may have gone in this very step: the process goes, too, with what it knew of the leader's transaction.
    if (is_orphan()) return disconnect();
    if (process().transaction == 0) begin_transaction(stage);
    // For what its workers draw, before it has drawn anything.
    if (process().leader < 0 && announced_.transaction != transactions_ && stage.random.one_in(8)) {
        step_ = Step::lead;
        return;
    }
    if (generation_ != stage.settings.generation) resolve(stage);
    if (kind_ < max_layouts && stage.random.one_in(8)) change_layout(stage);
    count_ = stage.random.one_in(3) ? static_cast<std::uint32_t>(stage.random.between(2, 9)) : 1;
    if (kind_ == kind_hlc) {
        count_ = 1;
        source_.session = nullptr;
    }
    began_ms_ = stage.true_ms;
    before_ = history_.last;
    borrowed_before_ = borrowed_tick_;
    above_ = made_;
    step_ = kind_ == kind_decimal ? Step::count : Step::clock;
    if (kind_ != kind_decimal && stage.random.one_in(4)) observe(stage);
}

// Gives up the draw, as an error or a cancel does: what was observed for it is forgotten.
void Session::abandon(Stage &stage) {
    history_.last = before_;
    borrowed_tick_ = borrowed_before_;
    // Or to a savepoint.
    if (stage.random.one_in(2) && process().workers == 0) end_transaction(stage);
    begin_draw(stage);
}

// Draws above an ID that somebody else passed on, if the clock may come so far.
void Session::observe(Stage &stage) {
    const Packing &p = source_.packing;
    std::int64_t token = stage.tokens[kind_];
    std::int64_t now_ms = node_->clock.read(stage.true_ms);
    if (source_.pool.empty()) return;
    DrawHistory observed = observed_hlc(token);
    if (token == 0 || (kind_ != kind_hlc && source_.session == nullptr)) return;
    if (kind_ != kind_hlc) {
        if (!position_of(p, token, now_ms, observed)) return;
        observed = drawn_beyond(p, observed, source_.pool.largest());
    }
    if (!is_in_reach(start_of(p, observed.tick) - now_ms, rules(stage))) return;
    history_.last = kind_ == kind_hlc ? observed : later_of(p, history_.last, observed);
    bool is_own = history_.last.tick == before_.tick && history_.last.shard == before_.shard &&
                  history_.last.sequence == before_.sequence;
    if (!is_own) borrowed_tick_ = observed.tick;
    source_.session = &history_;
    above_ = std::max(above_, token);
}

void Session::count_decimal(Stage &stage) {
    GeneratorCount count{};
    if (!database_->generators.counter.take(count)) return begin_renewal(Record::generator, 0, false);
    std::uint32_t launch = node_->launches[number_of_database_];
    std::int64_t id = pack_decimal({count.counter, count.generator, launch});
    stage.trace.say("%4lld session %d node %d: issues DecimalId %lld", Stage::since_start(stage.true_ms), number_,
                    node_->number, static_cast<long long>(id));
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
