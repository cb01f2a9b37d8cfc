// Judges the run: every ID that was ever handed out, by whichever node, and the bounds that the design states. The
// first thing that is wrong stays as the failure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common.hpp"
#include "node.hpp"

namespace idgen::sim {

class Oracle {
   public:
    Oracle(Common &common, bool judges_bounds) noexcept : common_(common), judges_bounds_(judges_bounds) {}

    void make(std::uint32_t scope, int kind, std::int64_t id) noexcept {
        common_.counts.later_ids += was_copied();
        if (!common_.made.insert({scope, kind, id})) common_.failure = "duplicate ID";
    }

    // What a transaction stores, where hosts tell of copies: no other copy of it may store the same.
    void store(const Made &stored) noexcept {
        if (!common_.stored.insert(stored)) common_.failure = "two copies of a machine store the same";
    }

    // A tick that IDs of a database leave the server in; the floor of old is that of when they were taken.
    void issue(const Node &node, int database, std::int64_t start_us, const Limits &limits,
               std::int64_t old_floor_ms) noexcept {
        std::int64_t start_ms = ms_down(start_us);
        std::int64_t &reached_ms = common_.reached_ms(node.scopes[database]);
        reached_ms = std::max(reached_ms, start_ms + 1);
        if (start_us > limits.now_us + limits.max_lead_ms * 1000) fail("the lead exceeds its limit");
        if (start_us < us_of(limits.floor_ms)) fail("a tick starts below the floor");
        if (start_ms < old_floor_ms) fail("a tick starts below a floor of old");
        if (start_us >= us_of(node.disk.durable_ms[database])) fail("a tick starts at or above the durable horizon");
    }

    // A statement that has read a setting keeps it.
    void admit_lead(std::int64_t lead_ms) noexcept { highest_lead_ms_ = std::max(highest_lead_ms_, lead_ms); }

    // A renewal that is about to replace the page; notes the clock that it believes.
    void renew(Node &node, const WalEntry &page, WalEntry &written, const ServerView &view, std::int64_t start_ms) {
        std::int64_t page_ms = page.record.value;
        admit_lead(view.rules.max_lead_ms);
        std::int64_t reach_ms = highest_clock_ms_ + highest_lead_ms_;
        if (written.record.value < page_ms) fail("a renewal lowers the horizon");
        if (start_ms > reach_ms) fail("a renewal for a tick far off");
        if (written.record.value > std::max(page_ms, reach_ms + view.rules.window_ms))
            fail("a renewal reaches beyond the lead and a window");
        believe(node, page, view, written);
    }

    // It has replaced the page, which says from here on what somebody confirmed.
    void note_renewed(Node &node, int database) noexcept { node.confirmed[database] = {}; }

    // A renewal that was refused.
    void refuse(const Outcome &outcome, std::int64_t page_ms, const ServerView &view) {
        bool is_near = view.clock.now_ms - page_ms <= view.clock_rules.max_jump_ms;
        if (outcome.renewal == Renewal::clock_jumped && is_near) fail("a right clock is refused");
    }

    // Somebody says that the clock of a node is right.
    void confirm(Node &node, std::int64_t difference_ms) {
        node.believed = {node.boot, difference_ms};
        std::fill_n(node.confirmed, max_databases, node.believed);
    }

    // IDs of a slot, from a first to a last: they rise, whoever takes them.
    void rise(std::int64_t &highest, std::int64_t first_id, std::int64_t last_id) {
        if (first_id <= highest) fail("an ID of a slot is not above the one before");
        highest = last_id;
    }

    void note_news(LeaseNews news) noexcept {
        common_.counts.taken += news == LeaseNews::claimed;
        common_.counts.lost += news == LeaseNews::lost;
        common_.counts.stopped += news == LeaseNews::stopped;
        common_.counts.later_numbers += news == LeaseNews::claimed && was_copied();
    }

    void expect(bool is_so, const char *else_what) noexcept {
        if (!is_so) fail(else_what);
    }

    void note_clock(std::int64_t now_ms, std::int64_t max_lead_ms) noexcept {
        highest_clock_ms_ = std::max(highest_clock_ms_, now_ms);
        highest_lead_ms_ = std::max(highest_lead_ms_, max_lead_ms);
    }

    void note_generator(std::uint32_t launch, std::int64_t generator) noexcept {
        std::int64_t &highest = common_.generator(launch);
        highest = std::max(highest, generator);
    }
    std::int64_t highest_generator(std::uint32_t launch) const noexcept { return common_.generator(launch); }

    // No ID of a scope was made at or above that.
    std::int64_t reached_ms(std::uint32_t scope) const noexcept { return common_.reached_ms(scope); }

    bool has_failed() const noexcept { return common_.failure != nullptr; }
    bool was_copied() const noexcept { return common_.counts.copies + common_.counts.resumes > 0; }

   private:
    // Judges the clock of a renewal by the highest that was believed on this boot of the machine: what somebody
    // confirmed since the last renewal of this database, else what its page says, else in any database since the start.
    void believe(Node &node, const WalEntry &page, const ServerView &view, WalEntry &written) {
        std::int64_t difference_ms = view.clock.difference_ms;
        Believed before = {};
        for (const Believed &known : {node.believed, page.believed, node.confirmed[written.database]})
            if (known.boot == node.boot) before = known;
        bool is_known = before.boot != 0;
        std::int64_t highest_ms = is_known ? before.difference_ms : difference_ms;
        bool is_jump = difference_ms - highest_ms > view.clock_rules.max_jump_ms;
        bool is_near = view.clock.now_ms - page.record.value <= view.clock_rules.max_jump_ms;
        if (is_jump && !is_near) fail("a clock that jumped is believed");
        bool is_behind = page.record.value - view.clock.now_ms > view.clock_rules.farthest_horizon_ms;
        if (is_behind && !is_known) return;
        Believed believed = {node.boot, is_behind ? highest_ms : std::max(highest_ms, difference_ms)};
        bool is_higher = node.believed.boot != node.boot || node.believed.difference_ms < believed.difference_ms;
        if (!is_jump && is_higher) node.believed = believed;
        written.believed = believed;
    }

    void fail(const char *what) noexcept {
        if (judges_bounds_ && common_.failure == nullptr) common_.failure = what;
    }

    Common &common_;
    const bool judges_bounds_;
    std::int64_t highest_clock_ms_ = start_ms;
    std::int64_t highest_lead_ms_ = 0;
};

}  // namespace idgen::sim
