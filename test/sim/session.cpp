#include "session.hpp"

#include "core/slot/placement.hpp"
#include "kinds/core/decimal_id.hpp"
#include "kinds/core/hlc.hpp"

namespace idgen::sim {

void Session::connect(Stage &stage, int number, Node &node, int database) {
    stage_ = &stage;
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
    settings_ = stage.settings;
    stock_ = {};
    made_ = 0;
    borrowed_tick_ = -1;
    resets_ = database_->resets;
    source_ = other_ = {};
    source_.room = rooms_[0];
    other_.room = rooms_[1];
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
        case Step::give:
            return give(stage);
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

// Makes the source stand for the settings, and for the shards that there are now.
void Session::resolve(Stage &stage, Source &source) {
    ShardRange *room = source.room;
    source = {};
    source.room = room;
    source.generation = settings().generation;
    source.kind = kind_;
    bool is_clock = kind_ == kind_hlc;
    set_packing(source, is_clock || kind_ >= kind_decimal ? hlc_packing : stage.scenario.packings[kind_]);
    source.carries = is_clock;
    source.machine = database_->horizon.machine;
    if (is_own_ && !is_clock) source.session = &history_;
    set_pool(stage, source);
}

void Session::set_pool(Stage &stage, Source &source) {
    source.slot.entry = nullptr;
    block_ = {};
    if (stage.scenario.pool_count > 0)
        list_numbers(stage, source);
    else
        list_shards(stage, source);
    source.is_pool = source.pool.shard_count > 1;
    source.follows_pool = stage.scenario.pool_count > 0;
    if (!is_own_) made_ = 0;
    if (source.session == nullptr) return;
    source.session->cursor.aim(static_cast<std::uint32_t>(number_), std::max(source.pool.shard_count, 1u));
}

// Has it draw from the numbers that are held now. True if they have changed.
bool Session::follow_pool(Stage &stage, Source &source) {
    if (stage.scenario.pool_count == 0 || source.changes == node_->shared->leases.changes) return false;
    DrawSession *session = source.session;
    // A rough session does so only for the pool of this source, as the server.
    stage.scenario.has_rough_sessions ? set_pool(stage, source) : resolve(stage, source);
    source.session = session;
    if (!stage.scenario.has_rough_sessions) source_.changes = source.changes;
    return true;
}

// Goes on at the session's other call site, whose pool may be older; they have the history in common.
void Session::turn_source(Stage &stage) {
    if (kind_ >= max_layouts || !stage.is_rough(4)) return;
    std::swap(source_, other_);
    block_ = {};
    if (!is_own_) made_ = 0;
    if (source_.generation != settings().generation || source_.kind != kind_) resolve(stage, source_);
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
    ShardRange *room = source.room;
    std::uint32_t count = settings().shard_count;
    room[0] = {0, count - 1};
    if (!is_own_) room[0].first = room[0].last = static_cast<std::uint32_t>(stage.random.between(0, count - 1));
    if (kind_ == kind_hlc) room[0] = {clock_shard, clock_shard};
    source.pool = {room, 1, room[0].last - room[0].first + 1};
}

// The numbers that the server holds, or one of them.
void Session::list_numbers(Stage &stage, Source &source) {
    ShardRange *room = source.room;
    source.changes = node_->shared->leases.changes;
    std::uint32_t count = node_->shared->leases.list(room);
    if (!is_own_ && count > 1) {
        room[0] = room[stage.random.between(0, std::int64_t{count} - 1)];
        count = 1;
    }
    source.pool = {room, count, count};
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
    if (block_.count > 0 && stage.random.one_in(2)) {
        step_ = Step::give;
        return;
    }
    // Between two statements; it goes on with the old ones until then.
    if (settings_.generation != stage.settings.generation && stage.is_rough(6)) settings_ = stage.settings;
    if (source_.generation != settings().generation) resolve(stage, source_);
    if (kind_ < max_layouts && stage.random.one_in(8)) change_layout(stage);
    turn_source(stage);
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
    go_on(stage);
}

// After something was handed out.
void Session::go_on(Stage &stage) {
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
    if (!is_in_reach(start_of(p, observed_.tick) - now_us, rules_of(source_, settings().draw))) return;
    is_above_ = true;
    DrawHistory later = source_.session == nullptr ? observed_ : later_of(p, history_.last, observed_);
    bool is_own = later.tick == before_.tick && later.shard == before_.shard && later.sequence == before_.sequence;
    if (!is_own) borrowed_tick_ = observed_.tick;
    above_ = std::max(above_, token);
}

}  // namespace idgen::sim
