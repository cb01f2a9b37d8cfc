// What worlds that are copies of one another have in common: true time, the registry, what people count, and all that is
// said of the run. It lies in memory that a fork does not copy.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "made.hpp"
#include "registry.hpp"
#include "turns.hpp"

namespace idgen::sim {

// How much has happened in a run.
struct Counts {
    std::int64_t events, disasters, draws, reads, standby_reads;
    std::int64_t taken, lost, stopped;  // numbers
    std::int64_t copies, resumes;       // of all machines; of those that had no copy
    // After the first copy.
    std::int64_t later_ids, later_reads, later_numbers, later_crashes;
    std::int64_t refused;      // renewals, because the machine is a copy
    std::int64_t uncommitted;  // transactions, because it was copied since they were handed something

    void add(const Counts &other) noexcept;
};

class Common {
   public:
    // The one of this process and of those that it forks. Begins a run.
    static Common &begin(std::uint64_t seed) noexcept {
        static Common *const common = map();
        common->begin_run(seed);
        return *common;
    }

    Turns turns;
    Counts counts;
    Registry registry;
    std::int64_t true_ms;
    std::int64_t true_part_us;  // of the ms that runs
    std::uint64_t boots;
    std::int64_t systems;

    // What the oracle knows.
    const char *failure;  // null: none
    MadeIds made;
    MadeIds stored;  // by a transaction that was committed or prepared
    std::int64_t stocks;

    std::uint32_t new_scope() noexcept {
        reached_ms_[check(scopes_)] = 0;
        return scopes_++;
    }
    std::int64_t &reached_ms(std::uint32_t scope) noexcept { return reached_ms_[scope]; }
    std::uint32_t new_launch() noexcept {
        generators_[check(launches_)] = 0;
        return launches_++;
    }
    // The highest of a launch.
    std::int64_t &generator(std::uint32_t launch) noexcept { return generators_[launch]; }

   private:
    static constexpr std::uint32_t most = 8192;

    static Common *map() noexcept {
        void *memory = mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        Common *common = new (memory) Common;
        common->turns.initialise();
        return common;
    }
    static std::uint32_t check(std::uint32_t number) noexcept {
        if (number >= most) std::abort();
        return number;
    }
    void begin_run(std::uint64_t seed) noexcept {
        turns.begin(seed);
        counts = {};
        registry.begin();
        true_ms = start_ms;
        true_part_us = 0;
        boots = 0;
        systems = 1;
        failure = nullptr;
        made.begin();
        stored.begin();
        stocks = 0;
        scopes_ = launches_ = 0;
        new_scope();
        new_launch();
    }

    std::uint32_t scopes_, launches_;
    std::int64_t reached_ms_[most];
    std::int64_t generators_[most];
};

inline void Counts::add(const Counts &other) noexcept {
    static_assert(sizeof(Counts) % sizeof(std::int64_t) == 0);
    auto *to = reinterpret_cast<std::int64_t *>(this);
    auto *from = reinterpret_cast<const std::int64_t *>(&other);
    for (std::size_t i = 0; i < sizeof(Counts) / sizeof(std::int64_t); i++) to[i] += from[i];
}

}  // namespace idgen::sim
