// The steps of a renewal. Those from the page to the grant hold the renewal lock of the node.
#include "session.hpp"

namespace idgen::sim {

void Session::begin_renewal() {
    if (node_->is_renewing) {
        step_ = Step::clock;
        return;
    }
    node_->is_renewing = true;
    step_ = node_->horizon.pending_ms > start_ms_ ? Step::poll : Step::page;
}

void Session::end_renewal() {
    node_->is_renewing = false;
    step_ = Step::clock;
}

// Admits the page and writes to it, under the page's lock.
void Session::write_page(Stage &stage) {
    Horizon &horizon = node_->horizon;
    const HorizonRules &rules = stage.scenario.rules;
    DurableRecord page = node_->disk.page;
    std::int64_t identity = node_->identity();
    if (!admit_page(horizon, page, identity, node_->read_clock(stage.true_ms), rules)) {
        if (node_->loaded_floor_ms == 0) node_->loaded_floor_ms = horizon.floor_ms;
        stage.trace.say("%4lld session %d node %d: loads H %lld identity %s, floor %lld",
                        Stage::since_start(stage.true_ms), number_, node_->number,
                        Stage::since_start(page.value), page.identity == identity ? "own" : "foreign",
                        Stage::since_start(horizon.floor_ms));
        if (stage.lacks(Weakness::volatile_debt) && page.identity != identity) {
            node_->disk.flush(node_->disk.write(bare_record(page.value, identity)));
            horizon.known = node_->disk.page;
        }
        return end_renewal();
    }
    if (!may_renew(horizon, start_ms_)) return end_renewal();
    record_ = bare_record(renewed_ms(horizon, limits_.now_ms, start_ms_, rules), identity);
    stage.oracle.renew(page, record_, limits_, start_ms_);
    stage.trace.say("%4lld session %d node %d: writes H %lld (clock %lld, tick at %lld, floor %lld)",
                    Stage::since_start(stage.true_ms), number_, node_->number,
                    Stage::since_start(record_.value), Stage::since_start(limits_.now_ms),
                    Stage::since_start(start_ms_), Stage::since_start(horizon.floor_ms));
    if (start_ms_ < horizon.floor_ms)
        stage.trace.say("%4lld session %d node %d: has renewed for a tick below the floor",
                        Stage::since_start(stage.true_ms), number_, node_->number);
    DurableRecord written = record_;
    if (stage.lacks(Weakness::past_persisted)) written.value -= rules.window_ms;
    lsn_ = node_->disk.write(written);
    step_ = stage.lacks(Weakness::no_flush) ? Step::note : Step::flush;
}

void Session::note_page(Stage &stage) {
    note_flushed(node_->horizon, record_);
    if (stage.lacks(Weakness::past_persisted)) node_->horizon.known = node_->disk.wal[lsn_ - 1];
    node_->pending_lsn = lsn_;
    step_ = Step::poll;
}

void Session::poll_standby(Stage &stage) {
    bool is_synchronous = stage.scenario.replication == Replication::synchronous;
    bool is_acknowledged = !is_synchronous || node_->acknowledged >= node_->pending_lsn;
    bool is_cancelled = !is_acknowledged && stage.random.one_in(4);
    if (is_cancelled && stage.lacks(Weakness::cancel_grants)) is_acknowledged = true;
    if (is_acknowledged) {
        grant_pending(node_->horizon);
        stage.trace.say("%4lld session %d node %d: granted up to %lld", Stage::since_start(stage.true_ms),
                        number_, node_->number, Stage::since_start(node_->horizon.granted_ms));
    }
    end_renewal();
    if (is_cancelled) begin_draw(stage);
}

}  // namespace idgen::sim
