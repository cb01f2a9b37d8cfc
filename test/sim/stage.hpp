// What the steps of a session see and touch.
#pragma once

#include "node.hpp"
#include "oracle.hpp"
#include "random.hpp"
#include "scenario.hpp"
#include "trace.hpp"
#include "weakness.hpp"

namespace idgen::sim {

// How a seed is run.
struct Manner {
    Weakness weakness = Weakness::none;
    bool is_traced = false;
    bool judges_bounds = true;  // else only duplicates are failures
};

struct Stage {
    Random random;
    const Scenario scenario;
    Oracle oracle;
    Trace trace;
    Weakness weakness;  // the guard that is missing
    std::int64_t true_ms = start_ms;
    Node nodes[2];

    Stage(std::uint64_t seed, const Manner &manner)
        : random(seed),
          scenario(scenario_of(random)),
          oracle(scenario, manner.judges_bounds),
          trace(manner.is_traced),
          weakness(manner.weakness) {}
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;

    bool lacks(Weakness guard) const noexcept { return weakness == guard; }

    // For the trace: short numbers.
    static long long since_start(std::int64_t ms) noexcept {
        return static_cast<long long>(ms == 0 ? -1 : ms - start_ms);
    }
};

}  // namespace idgen::sim
