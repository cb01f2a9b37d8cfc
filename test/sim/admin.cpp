#include "admin.hpp"

#include "core/issue/moves.hpp"

namespace idgen::sim {

void Admin::step(Stage &stage) {
    switch (step_) {
        case Step::lock:
            return lock(stage);
        case Step::page:
            return write_page(stage);
        case Step::flush:
            node_->disk.flush(lsn_);
            step_ = Step::finish;
            return;
        case Step::finish:
            return finish(stage);
        case Step::standbys:
            if (stage.is_acknowledged(*node_, lsn_)) disconnect();
            return;
    }
}

void Admin::lock(Stage &stage) {
    if (database() == nullptr) return disconnect();
    if (database()->is_locked) return;
    view_ = stage.view_of(*node_);
    stage.oracle.note_clock(view_.clock.now_ms, view_.rules.max_lead_ms);
    database()->is_locked = true;
    step_ = Step::page;
}

// Readers begin again at the instant from which IDs are made again.
void Admin::forget_answers(const Stage &stage) noexcept {
    for (int i = 0; i < stage.scenario.layout_count; i++) {
        std::int64_t &highest = node_->settled_ids[number_][i];
        highest = std::min(highest, settled_id(stage.scenario.packings[i], until_start(at_ms_)));
    }
}

void Admin::write_page(const Stage &stage) {
    WalEntry entry = node_->disk.page(number_, Record::horizon);
    page_ = entry.record;
    switch (task_) {
        case Task::advance:
            record_ = plan_advance(database()->horizon, page_, view_, at_ms_).record;
            break;
        case Task::reset:
            record_ = plan_reset(page_, view_, at_ms_);
            entry.is_vouched = true;
            entry.pairs = {};
            forget_answers(stage);
            node_->begun[number_] = node_->disk.inserted() + 1;
            break;
        case Task::confirm:
            record_ = plan_confirmation(page_, view_);
            break;
    }
    entry.record = record_;
    lsn_ = node_->disk.write(entry);
    step_ = Step::flush;
}

void Admin::finish(Stage &stage) {
    SlotDirectory directory = node_->directory();
    std::int64_t &floor_ms = node_->old_floors_ms[number_];
    switch (task_) {
        case Task::advance:
            finish_advance(directory, *database(), record_, at_ms_);
            floor_ms = std::max(floor_ms, at_ms_);
            break;
        case Task::reset:
            view_.clock = node_->read_clock(stage.true_ms);
            finish_reset(directory, *database(), record_, node_->shared->accepted, view_.clock.difference_ms);
            stage.oracle.confirm(*node_, view_.clock.difference_ms);
            stage.oracle.expect(directory.reached_ms(*database()) <= at_ms_ + 1000, "a slot is left above a reset");
            floor_ms = at_ms_;
            node_->forget_ids(number_);
            break;
        case Task::confirm:
            finish_confirmation(database()->horizon, page_, record_, view_.identity);
            node_->origin = node_->system;
            break;
    }
    database()->is_locked = false;
    step_ = Step::standbys;
    stage.trace.say("%4lld node %d: database %d is moved to %lld", Stage::since_start(stage.true_ms), node_->number,
                    number_, Stage::since_start(record_.value));
}

}  // namespace idgen::sim
