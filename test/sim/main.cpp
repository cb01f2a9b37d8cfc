// sim                          checks all seeds and reports in TAP
// sim SEED                     replays one seed with a trace
// sim --mutant NAME             looks for a seed that notices that the guard is missing
// sim --mutant NAME SEED        replays that seed
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "world.hpp"

namespace idgen::sim {
namespace {

constexpr std::uint64_t all_seeds = 100000;
constexpr std::uint64_t mutant_seeds = 1000;
constexpr std::uint64_t group_size = 10000;

struct Totals {
    std::int64_t seeds = 0, events = 0, disasters = 0, draws = 0, ids = 0;
    std::int64_t overreaches = 0;
    std::uint64_t first_overreach = 0;

    void add(const World &world, std::uint64_t seed) noexcept {
        const Oracle &oracle = world.stage().oracle;
        seeds++;
        events += world.events();
        disasters += world.disasters();
        draws += world.draws();
        ids += oracle.ids();
        if (oracle.has_overreached() && overreaches++ == 0) first_overreach = seed;
    }
};

// Runs the seeds until one fails; 0 where none does.
std::uint64_t first_failure(std::uint64_t first, std::uint64_t last, const Manner &manner, Totals &totals,
                            std::string &failure) {
    for (std::uint64_t seed = first; seed <= last; seed++) {
        World world(seed, manner);
        world.run();
        totals.add(world, seed);
        failure = world.stage().oracle.failure();
        if (!failure.empty()) return seed;
    }
    return 0;
}

int replay(std::uint64_t seed, const Manner &manner) {
    World world(seed, manner);
    world.run();
    const Oracle &oracle = world.stage().oracle;
    bool is_good = !oracle.has_failed();
    std::printf("%sok 1 - seed %" PRIu64 "%s%s\n1..1\n", is_good ? "" : "not ", seed, is_good ? "" : ": ",
                oracle.failure().c_str());
    return is_good ? 0 : 1;
}

int check_all() {
    Totals totals;
    int number = 0, failed = 0;
    for (std::uint64_t first = 1; first <= all_seeds; first += group_size) {
        std::string failure;
        std::uint64_t last = first + group_size - 1;
        std::uint64_t seed = first_failure(first, last, Manner{}, totals, failure);
        failed += seed != 0;
        std::printf("%sok %d - seeds %" PRIu64 " to %" PRIu64, seed == 0 ? "" : "not ", ++number, first,
                    last);
        if (seed != 0) std::printf(": seed %" PRIu64 ": %s", seed, failure.c_str());
        std::printf("\n");
    }
    bool is_busy = totals.events >= 1000000 && totals.draws > totals.events / 50;
    failed += !is_busy;
    std::printf("%sok %d - the runs were busy\n", is_busy ? "" : "not ", ++number);
    failed += totals.overreaches != 0;
    std::printf("%sok %d - no renewal reaches beyond the lead and a window: %" PRId64
                " seeds do, the first %" PRIu64 "\n1..%d\n",
                totals.overreaches == 0 ? "" : "not ", number + 1, totals.overreaches, totals.first_overreach,
                number + 1);
    std::printf("# %" PRId64 " seeds, %" PRId64 " events, %" PRId64 " disasters, %" PRId64 " draws, %" PRId64
                " IDs\n",
                totals.seeds, totals.events, totals.disasters, totals.draws, totals.ids);
    return failed == 0 ? 0 : 1;
}

// Looks for any failure, and then for a duplicate.
int check_mutant(const char *name, Manner manner) {
    Totals totals;
    std::string failure, duplicate;
    std::uint64_t seed = first_failure(1, mutant_seeds, manner, totals, failure);
    if (seed == 0) {
        std::printf("not ok - mutant %s not found in %" PRIu64 " seeds\n", name, mutant_seeds);
        return 1;
    }
    std::printf("ok - mutant %s found at seed %" PRIu64 ": %s", name, seed, failure.c_str());
    manner.judges_bounds = false;
    std::uint64_t second = first_failure(1, mutant_seeds, manner, totals, duplicate);
    if (second != 0) std::printf(" (first duplicate ID: seed %" PRIu64 ")", second);
    std::printf("\n");
    return 0;
}

int main_of(int count, char **arguments) {
    Manner manner;
    if (count == 1) return check_all();
    bool is_mutant = std::strcmp(arguments[1], "--mutant") == 0 && count >= 3;
    if (is_mutant) find_weakness(arguments[2], manner.weakness);
    if (is_mutant && count == 3) return check_mutant(arguments[2], manner);
    manner.is_traced = true;
    return replay(std::strtoull(arguments[count - 1], nullptr, 10), manner);
}

}  // namespace
}  // namespace idgen::sim

int main(int count, char **arguments) {
    return idgen::sim::main_of(count, arguments);
}
