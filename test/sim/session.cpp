#include "session.hpp"

#include "core/slot/placement.hpp"
#include "kinds/core/decimal_id.hpp"
#include "kinds/core/hlc.hpp"

namespace idgen::sim {

void Session::connect(Stage &stage, int number, Node &node, int database) {
    node_ = &node;
    database_ = node.directory().find_database(static_cast<std::uint32_t>(database + 1));
    number_of_database_ = database;
    number_ = number;
    kind_ = static_cast<int>(stage.random.between(0, stage.scenario.layout_count - 1));
    bool has_others = !stage.scenario.has_registry();
    if (has_others && stage.random.one_in(4)) kind_ = stage.random.one_in(2) ? kind_hlc : kind_decimal;
    if (stage.has_copies() && stage.random.one_in(6)) kind_ = kind_other;
    is_own_ = !stage.random.one_in(3);
    history_ = {};
    history_.resets = database_->resets;
    // Numbers that another process of that place may have used.
    pid_ = static_cast<std::uint32_t>(stage.random.between(1, 3));
    transactions_ = static_cast<std::uint32_t>(stage.random.between(0, 3));
    process() = {};
    node_->note_first_xid();
    attach();
    stock_ = {};
    made_ = 0;
    borrowed_tick_ = -1;
    resets_ = database_->resets;
    resolve(stage, source_);
    begin_draw(stage);
}

// What the connection was in the middle of ends, and lets go of its lock.
void Session::disconnect() noexcept {
    if (node_ == nullptr) return;
    if (is_renewing_) database_->is_locked = is_renewing_ = false;
    leave_transaction();
    node_ = nullptr;
}

void Session::step(Stage &stage) {
    if (is_orphan()) return disconnect();
    switch (step_) {
        case Step::draw:
            stage_ = &stage;
            if (fiber_.resume() && node_ != nullptr) end_draw(stage);
            return;
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
void Session::resolve(Stage &stage, Source &source) {
    source = {};
    source.generation = stage.settings.generation;
    bool is_clock = kind_ == kind_hlc;
    set_packing(source, is_clock || kind_ >= kind_decimal ? hlc_packing : stage.scenario.packings[kind_]);
    source.carries = is_clock;
    source.machine = database_->horizon.machine;
    if (stage.scenario.pool_count > 0)
        list_numbers(stage, source);
    else
        list_shards(stage, source);
    source.is_pool = source.pool.shard_count > 1;
    if (!is_own_) made_ = 0;
    if (!is_own_ || is_clock) return;
    source.session = &history_;
    history_.cursor.aim(static_cast<std::uint32_t>(number_), std::max(source.pool.shard_count, 1u));
}

// Goes on in another layout, in the same transaction.
void Session::change_layout(Stage &stage) {
    kind_ = static_cast<int>(stage.random.between(0, stage.scenario.layout_count - 1));
    history_ = {};
    history_.resets = database_->resets;
    made_ = 0;
    borrowed_tick_ = -1;
    resolve(stage, source_);
}

// Those given by hand, or one of them.
void Session::list_shards(Stage &stage, Source &source) {
    std::uint32_t count = stage.settings.shard_count;
    shards_[0] = {0, count - 1};
    if (!is_own_) shards_[0].first = shards_[0].last = static_cast<std::uint32_t>(stage.random.between(0, count - 1));
    if (kind_ == kind_hlc) shards_[0] = {clock_shard, clock_shard};
    source.pool = {shards_, 1, shards_[0].last - shards_[0].first + 1};
}

// The numbers that the server holds, or one of them.
void Session::list_numbers(Stage &stage, Source &source) {
    changes_ = node_->shared->leases.changes;
    std::uint32_t count = node_->shared->leases.list(shards_);
    if (!is_own_ && count > 1) {
        shards_[0] = shards_[stage.random.between(0, std::int64_t{count} - 1)];
        count = 1;
    }
    source.pool = {shards_, count, count};
}

bool Session::has_other_numbers(const Stage &stage) const noexcept {
    return stage.scenario.pool_count > 0 && changes_ != node_->shared->leases.changes;
}

void Session::begin_draw(Stage &stage) {
    // Its leader may have gone in this very step: the process goes, too, with what it knew of the leader's transaction.
    if (is_orphan()) return disconnect();
    if (process().transaction == 0) begin_transaction(stage);
    // For what its workers draw, before it has drawn anything.
    if (process().leader < 0 && announced_in_ != transactions_ && stage.random.one_in(8)) {
        step_ = Step::lead;
        return;
    }
    if (source_.generation != stage.settings.generation) resolve(stage, source_);
    if (kind_ < max_layouts && stage.random.one_in(8)) change_layout(stage);
    count_ = stage.random.one_in(3) ? static_cast<std::uint32_t>(stage.random.between(2, 9)) : 1;
    if (kind_ == kind_hlc) {
        count_ = 1;
        source_.session = nullptr;
    }
    began_ms_ = stage.true_ms;
    before_ = history_.last;
    resets_before_ = history_.resets;
    borrowed_before_ = borrowed_tick_;
    above_ = made_;
    is_above_ = is_drawn_ = false;
    step_ = Step::draw;
    if (kind_ < kind_decimal && stage.random.one_in(4)) observe(stage);
    static char stacks[max_sessions][1 << 18];
    fiber_.begin(stacks[number_], sizeof(stacks[number_]), run, this);
}

// After a draw, of which the core has said whether it succeeded.
void Session::end_draw(Stage &stage) {
    if (!is_drawn_) return abandon(stage);
    if (kind_ == kind_decimal && !stage.has_copies()) return begin_draw(stage);
    store_some(stage);
    if (stage.random.one_in(4)) return end_some(stage);
    begin_draw(stage);
}

// Gives up the draw, as an error or a cancel does: what was observed for it is forgotten.
void Session::abandon(Stage &stage) {
    bool is_as_before = history_.last.tick == before_.tick && history_.last.shard == before_.shard &&
                        history_.last.sequence == before_.sequence;
    stage.oracle.expect(is_as_before || history_.resets != resets_before_, "a draw that failed is remembered");
    borrowed_tick_ = borrowed_before_;
    // Or to a savepoint.
    if (stage.random.one_in(2) && process().workers == 0)
        end_transaction(stage);
    else
        may_end(stage, TransactionEvent::savepoint_ends);
    begin_draw(stage);
}

// Has the draw lie above an ID that somebody else passed on, if the clock may come so far.
void Session::observe(Stage &stage) {
    const Packing &p = source_.packing;
    std::int64_t token = stage.tokens[kind_];
    std::int64_t now_us = stage.clock_us(*node_);
    if (source_.pool.empty()) return;
    observed_ = observed_hlc(token);
    if (token == 0 || (kind_ != kind_hlc && source_.session == nullptr)) return;
    if (kind_ != kind_hlc) {
        if (!position_of(p, token, now_us, observed_)) return;
        observed_ = drawn_beyond(p, observed_, source_.pool.largest());
    }
    if (!is_in_reach(start_of(p, observed_.tick) - now_us, rules_of(source_, stage.settings.draw))) return;
    is_above_ = true;
    DrawHistory later = source_.session == nullptr ? observed_ : later_of(p, history_.last, observed_);
    bool is_own = later.tick == before_.tick && later.shard == before_.shard && later.sequence == before_.sequence;
    if (!is_own) borrowed_tick_ = observed_.tick;
    above_ = std::max(above_, token);
}

}  // namespace idgen::sim
