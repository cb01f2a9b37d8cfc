// sim --seeds FIRST LAST             checks seeds and reports in TAP
// sim --registry --seeds FIRST LAST  the same with numbers from a registry
// sim --mutant NAME FIRST LAST       looks for a seed that notices that the guard is missing
// sim [--registry] SEED              replays one seed with a trace
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/require.hpp"
#include "world.hpp"

namespace idgen::sim {
namespace {

struct Totals {
    std::int64_t seeds = 0, events = 0, disasters = 0, draws = 0, reads = 0, standby_reads = 0, ids = 0, taken = 0,
                 lost = 0, stopped = 0;

    void add(const World &world) noexcept {
        seeds++;
        events += world.events();
        disasters += world.disasters();
        draws += world.draws();
        reads += world.reads();
        standby_reads += world.standby_reads();
        const Oracle &oracle = world.stage().oracle;
        ids += oracle.ids();
        taken += oracle.taken();
        lost += oracle.lost();
        stopped += oracle.stopped();
    }
};

// Runs the seeds until one fails; 0 if none does.
std::uint64_t first_failure(std::uint64_t first, std::uint64_t last, const Manner &manner, Totals &totals,
                            std::string &failure) {
    for (std::uint64_t seed = first; seed <= last; seed++) {
        World world(seed, manner);
        world.run();
        totals.add(world);
        failure = world.stage().oracle.failure();
        if (!failure.empty()) return seed;
    }
    return 0;
}

int tell(bool is_good, const std::string &what) {
    std::printf("%sok - %s\n", is_good ? "" : "not ", what.c_str());
    return is_good ? 0 : 1;
}

int replay(std::uint64_t seed, bool has_registry) {
    Manner manner;
    manner.has_registry = has_registry;
    manner.is_traced = true;
    World world(seed, manner);
    world.run();
    const Oracle &oracle = world.stage().oracle;
    return tell(!oracle.has_failed(), "seed " + std::to_string(seed) + ": " + oracle.failure());
}

// Whether as much happened as should.
bool is_busy(const Totals &totals, const Manner &manner) {
    bool is_eventful = totals.events >= 1000 * totals.seeds && totals.draws > totals.events / 100 &&
                       totals.reads >= 20 * totals.seeds && totals.standby_reads >= 10 * totals.seeds;
    bool is_keeping = totals.taken >= 8 * totals.seeds && totals.lost >= totals.seeds && totals.stopped >= totals.seeds;
    return is_eventful && (is_keeping || !manner.has_registry);
}

int check_seeds(std::uint64_t first, std::uint64_t last, const Manner &manner) {
    Totals totals;
    std::string failure;
    std::string seeds = manner.has_registry ? "with a registry, seeds " : "seeds ";
    seeds += std::to_string(first) + " to " + std::to_string(last);
    std::uint64_t seed = first_failure(first, last, manner, totals, failure);
    if (seed != 0) failure = ": seed " + std::to_string(seed) + ": " + failure;
    int failed = tell(seed == 0, seeds + failure);
    failed += tell(is_busy(totals, manner), seeds + " were busy");
    std::printf("# %" PRId64 " seeds, %" PRId64 " events, %" PRId64 " disasters, %" PRId64 " draws, %" PRId64
                " IDs, %" PRId64 " reads, %" PRId64 " on standbys, numbers %" PRId64 " times taken, %" PRId64
                " lost, %" PRId64 " stopped\n",
                totals.seeds, totals.events, totals.disasters, totals.draws, totals.ids, totals.reads,
                totals.standby_reads, totals.taken, totals.lost, totals.stopped);
    return failed == 0 ? 0 : 1;
}

// Looks at seeds from a first to a last, in groups: without a registry, then with one, where first a duplicate counts
// alone.
int check_mutant(const std::string &name, std::uint64_t first, std::uint64_t last) {
    idgen::ends_at_broken_contract = false;
    Totals totals;
    std::string failure;
    for (std::uint64_t end; first <= last; first = end + 1) {
        end = std::min(last, 4 * first + 15);
        for (const Manner &manner : {Manner{false}, Manner{true, false, false}, Manner{true}}) {
            std::uint64_t seed = first_failure(first, end, manner, totals, failure);
            std::string kind = manner.has_registry ? " with a registry: " : ": ";
            if (seed == 0) continue;
            return tell(true, "mutant " + name + " is found by seed " + std::to_string(seed) + kind + failure);
        }
    }
    return tell(false, "mutant " + name + " is not found up to seed " + std::to_string(last));
}

std::uint64_t number_of(const char *argument) noexcept {
    return std::strtoull(argument, nullptr, 10);
}

int main_of(int count, char **arguments) {
    Manner manner;
    manner.has_registry = count > 1 && std::strcmp(arguments[1], "--registry") == 0;
    if (manner.has_registry) count--, arguments++;
    if (count == 5 && std::strcmp(arguments[1], "--mutant") == 0)
        return check_mutant(arguments[2], number_of(arguments[3]), number_of(arguments[4]));
    if (count == 4 && std::strcmp(arguments[1], "--seeds") == 0)
        return check_seeds(number_of(arguments[2]), number_of(arguments[3]), manner);
    if (count == 2) return replay(number_of(arguments[1]), manner.has_registry);
    std::fprintf(stderr, "usage: sim [--registry] SEED | --seeds FIRST LAST | --mutant NAME FIRST LAST\n");
    return 2;
}

}  // namespace
}  // namespace idgen::sim

int main(int count, char **arguments) {
    return idgen::sim::main_of(count, arguments);
}
