// What the steps of a session see and touch.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <functional>

#include "node.hpp"
#include "oracle.hpp"
#include "registry.hpp"
#include "scenario.hpp"

namespace idgen::sim {

// Tells what happens, where a single seed is replayed.
class Trace {
   public:
    explicit Trace(bool is_on) noexcept : is_on_(is_on) {}

    int world = 0;  // which it tells of

    __attribute__((format(printf, 2, 3))) void say(const char *format, ...) const noexcept {
        if (!is_on_) return;
        std::va_list arguments;
        va_start(arguments, format);
        std::fputs("# ", stdout);
        if (world > 0) std::printf("copy %d ", world);
        std::vprintf(format, arguments);
        std::fputc('\n', stdout);
        va_end(arguments);
    }

   private:
    bool is_on_;
};

inline void describe(const Scenario &s, const Trace &trace) noexcept {
    constexpr const char *replications[] = {"no", "asynchronous", "synchronous"};
    trace.say("times in ms since the start, ticks by their start; IDs as tick shard/sequence + count");
    trace.say("%s replication, %s clocks, overflow %s, window %lld, max_lead %lld, clock_error %lld",
              replications[static_cast<int>(s.replication)], s.has_wild_clocks ? "wild" : "tame",
              s.settings.draw.may_borrow ? "borrow" : "wait", static_cast<long long>(s.settings.rules.window_ms),
              static_cast<long long>(s.settings.rules.max_lead_ms),
              static_cast<long long>(s.settings.rules.clock_error_ms));
    for (int i = 0; i < s.layout_count; i++)
        trace.say("layout %d: unit %lld us, sequences %u to %u, pool of %u, %d slots in all", i,
                  static_cast<long long>(s.packings[i].unit_us), s.packings[i].sequence_first,
                  s.packings[i].sequence_last, s.settings.shard_count, s.slot_count);
}

struct Stage {
    Common &common;
    int world = 0;  // which copy this is
    Random random;
    const Scenario scenario;
    Settings settings;
    Oracle oracle;
    Registry &registry;
    Trace trace;
    std::int64_t &true_ms;
    std::int64_t &true_part_us;
    Node nodes[max_nodes];
    std::int64_t tokens[max_layouts + 1] = {};  // the last ID of each kind that somebody passed on
    std::function<void()> let_others_run;

    Stage(std::uint64_t seed, const Manner &manner)
        : common(Common::begin(seed)),
          random(seed),
          scenario(scenario_of(seed, random, manner)),
          settings(scenario.settings),
          oracle(common, manner.judges_bounds),
          registry(common.registry),
          trace(manner.is_traced),
          true_ms(common.true_ms),
          true_part_us(common.true_part_us) {}
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;

    // What a draw reads of a node's clock: its ms, and how much of one is over there.
    std::int64_t clock_us(const Node &node) const noexcept {
        return us_of(node.clock.read(true_ms)) + (true_part_us + node.clock.part_us()) % 1000;
    }

    // Whether a rough session does now what it does one time in so many.
    bool is_rough(std::int64_t one_in) noexcept { return scenario.has_rough_sessions && random.one_in(one_in); }

    // Whether machines are copied with their memory.
    bool has_copies() const noexcept { return scenario.machines != Machines::alone; }

    // Whether as many standbys have flushed the log up to there as must.
    bool is_acknowledged(const Node &node, Lsn lsn) const noexcept {
        if (scenario.replication != Replication::synchronous || node.is_alone) return true;
        int count = 0;
        for (int i = 0; i < scenario.node_count; i++)
            if (i != node.number && node.shared->acknowledged[i] >= lsn) count++;
        return count >= scenario.quorum;
    }

    // What a session of that node with those settings knows of it.
    ServerView view_of(const Node &node) const noexcept { return view_of(node, settings); }
    ServerView view_of(const Node &node, const Settings &known) const noexcept {
        std::int64_t foreign = node.origin == node.system ? 0 : node.origin;
        return {node.identity(),
                node.read_clock(true_ms),
                node.shared->accepted.confirmations,
                node.boot_id(),
                node.machine(),
                owner_of(node),
                foreign,
                known.admits_copy,
                scenario.admits_resumed,
                !node.is_converted,
                known.rules,
                {known.max_jump_ms, known.rules.farthest_ms()},
                node.timeline > 1,
                false,
                scenario.has_registry()};
    }

    Owner owner_of(const Node &node) const noexcept { return {node.system, node.machine_name(), node.began_in}; }

    // For the trace: short numbers.
    static long long since_start(std::int64_t ms) noexcept {
        return static_cast<long long>(ms == 0 ? -1 : ms - start_ms);
    }
};

}  // namespace idgen::sim
