// Judges the run: every ID that was ever handed out, by whichever node, and the bounds that the
// design states. The first thing that is wrong stays as the failure.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "core/issue/slot.hpp"
#include "node.hpp"
#include "scenario.hpp"

namespace idgen::sim {

class Oracle {
   public:
    Oracle(const Scenario &scenario, bool judges_bounds)
        : scenario_(scenario), judges_bounds_(judges_bounds) {
        used_.reserve(1024);
    }

    // An ID that leaves the server `node`; `other` is the node that acknowledges its records.
    void issue(const Node &node, const Node &other, int packing, std::uint32_t shard, const Take &taken,
               const Limits &limits) {
        const Packing &p = scenario_.packings[packing];
        for (std::uint32_t i = 0; i < taken.count; i++) {
            auto id = static_cast<std::uint64_t>(pack(p, taken.tick, shard, taken.sequence + i));
            ids_++;
            if (!used_.insert(id << 1 | static_cast<std::uint64_t>(packing)).second)
                failure_ = "duplicate ID";
        }
        std::int64_t start_ms = start_of(p, taken.tick);
        if (start_ms > limits.now_ms + scenario_.rules.max_lead_ms) fail("the lead exceeds its limit");
        if (start_ms < limits.floor_ms) fail("a tick starts below the floor");
        if (start_ms < node.loaded_floor_ms) fail("a tick starts below the floor of the start");
        if (start_ms >= durable_ms(node)) fail("a tick starts at or above the durable horizon");
        if (scenario_.replication == Replication::synchronous && start_ms >= durable_ms(other))
            fail("a tick starts at or above the horizon that is durable on the standby");
    }

    // A renewal that is about to replace the page.
    void renew(const DurableRecord &page, const DurableRecord &record, const Limits &limits,
               std::int64_t start_ms) {
        const HorizonRules &rules = scenario_.rules;
        std::int64_t reach_ms = highest_clock_ms_ + rules.max_lead_ms + rules.window_ms;
        if (record.value < page.value) fail("a renewal lowers the horizon");
        if (start_ms > limits.now_ms + rules.max_lead_ms) fail("a renewal for a tick that the lead refuses");
        if (record.value > std::max(page.value, reach_ms)) has_overreached_ = true;
    }

    void note_clock(std::int64_t now_ms) noexcept { highest_clock_ms_ = std::max(highest_clock_ms_, now_ms); }

    bool has_failed() const noexcept { return !failure_.empty(); }
    // Whether a renewal put the horizon beyond the lead and a window: IDs stay unique, waits grow.
    bool has_overreached() const noexcept { return has_overreached_; }
    const std::string &failure() const noexcept { return failure_; }
    std::int64_t ids() const noexcept { return ids_; }
    std::int64_t highest_clock_ms() const noexcept { return highest_clock_ms_; }

   private:
    // Where a stranger may have lowered the horizon, what was granted before stays good until the
    // page is looked at again.
    std::int64_t durable_ms(const Node &node) const noexcept {
        return scenario_.has_lowering ? node.disk.highest_durable_ms() : node.disk.durable_ms();
    }

    void fail(const char *what) {
        if (judges_bounds_ && failure_.empty()) failure_ = what;
    }

    const Scenario &scenario_;
    const bool judges_bounds_;
    std::unordered_set<std::uint64_t> used_;
    std::int64_t ids_ = 0;
    std::int64_t highest_clock_ms_ = start_ms;
    bool has_overreached_ = false;
    std::string failure_;
};

}  // namespace idgen::sim
