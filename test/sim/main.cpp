// sim [MANNER] SEED                 replays one seed with a trace
// sim [MANNER] --seeds FIRST LAST   checks seeds and reports in TAP
// sim --mutant NAME FIRST LAST      looks for a seed that notices that the guard is missing
//
// A manner is
//   --registry    numbers come from a registry
//   --copies      machines are copied with their memory, and their hosts tell
//   --untold      the same if no host tells: IDs are made twice, and some seeds must find that
#include <malloc.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/require.hpp"
#include "world.hpp"

namespace idgen::sim {
namespace {

struct Totals : Counts {
    std::int64_t seeds = 0, ids = 0, failed = 0;

    void add(const Common &common) noexcept {
        seeds++;
        ids += common.made.count();
        failed += common.failure != nullptr;
        Counts::add(common.counts);
    }
};

// Runs a seed; gives what is wrong, or null.
const char *failure_of(std::uint64_t seed, const Manner &manner, Totals &totals) {
    World world(seed, manner);
    world.run();
    totals.add(world.common());
    return world.common().failure;
}

// Runs the seeds until one fails; 0 if none does.
std::uint64_t first_failure(std::uint64_t first, std::uint64_t last, const Manner &manner, Totals &totals,
                            const char *&failure) {
    for (std::uint64_t seed = first; seed <= last; seed++) {
        failure = failure_of(seed, manner, totals);
        if (failure != nullptr) return seed;
    }
    return 0;
}

int tell(bool is_good, const std::string &what) {
    std::printf("%sok - %s\n", is_good ? "" : "not ", what.c_str());
    return is_good ? 0 : 1;
}

int replay(std::uint64_t seed, Manner manner) {
    manner.is_traced = true;
    Totals totals{};
    const char *failure = failure_of(seed, manner, totals);
    return tell(failure == nullptr, "seed " + std::to_string(seed) + ": " + (failure == nullptr ? "" : failure));
}

// Whether as much happened as should.
bool is_busy(const Totals &totals, const Manner &manner) {
    std::int64_t seeds = totals.seeds;
    bool is_eventful = totals.events >= 1000 * seeds && totals.draws > totals.events / 100 &&
                       totals.reads >= 20 * seeds && totals.standby_reads >= 10 * seeds;
    bool is_keeping = totals.taken >= 8 * seeds && totals.lost >= seeds && totals.stopped >= seeds;
    bool is_copied = totals.copies >= seeds && totals.later_ids >= 20 * seeds && totals.later_reads >= 20 * seeds &&
                     totals.later_crashes >= seeds / 4 && totals.uncommitted >= seeds;
    bool is_refused = manner.has_registry ? totals.later_numbers >= seeds : totals.refused >= seeds;
    return is_eventful && (is_keeping || !manner.has_registry) &&
           ((is_copied && is_refused) || manner.machines == Machines::alone);
}

void print_totals(const Totals &totals, const Manner &manner) {
    std::printf("# %" PRId64 " seeds, %" PRId64 " events, %" PRId64 " disasters, %" PRId64 " draws, %" PRId64
                " IDs, %" PRId64 " reads, %" PRId64 " on standbys, numbers %" PRId64 " times taken, %" PRId64
                " lost, %" PRId64 " stopped\n",
                totals.seeds, totals.events, totals.disasters, totals.draws, totals.ids, totals.reads,
                totals.standby_reads, totals.taken, totals.lost, totals.stopped);
    if (manner.machines == Machines::alone) return;
    std::printf("# machines copied %" PRId64 " times, resumed %" PRId64
                " times without a copy; after the first time %" PRId64 " IDs, %" PRId64 " reads, numbers %" PRId64
                " times taken, %" PRId64 " crashes at once, renewals refused %" PRId64 " times, %" PRId64
                " transactions not committed\n",
                totals.copies, totals.resumes, totals.later_ids, totals.later_reads, totals.later_numbers,
                totals.later_crashes, totals.refused, totals.uncommitted);
}

std::string seeds_of(std::uint64_t first, std::uint64_t last, const Manner &manner) {
    return manner.options() + "seeds " + std::to_string(first) + " to " + std::to_string(last);
}

int check_seeds(std::uint64_t first, std::uint64_t last, const Manner &manner) {
    Totals totals{};
    const char *failure = nullptr;
    std::string seeds = seeds_of(first, last, manner);
    std::uint64_t seed = first_failure(first, last, manner, totals, failure);
    int failed = tell(seed == 0, seed == 0 ? seeds : seeds + ": seed " + std::to_string(seed) + ": " + failure);
    failed += tell(is_busy(totals, manner), seeds + " were busy");
    print_totals(totals, manner);
    return failed == 0 ? 0 : 1;
}

// Nothing is safe if machines are copied and no host tells.
int find_duplicates(std::uint64_t first, std::uint64_t last, const Manner &manner) {
    Totals totals{};
    for (std::uint64_t seed = first; seed <= last; seed++) failure_of(seed, manner, totals);
    int failed = tell(totals.failed > totals.seeds / 10, seeds_of(first, last, manner) + " find duplicates");
    std::printf("# %" PRId64 " of %" PRId64 " seeds do\n", totals.failed, totals.seeds);
    print_totals(totals, manner);
    return failed;
}

// Looks at seeds from a first to a last, in groups: without a registry, then with one, where first only a duplicate
// counts; then with copies of machines.
int check_mutant(const std::string &name, std::uint64_t first, std::uint64_t last) {
    constexpr Manner manners[] = {{},
                                  {true, Machines::alone, false},
                                  {true},
                                  {false, Machines::told},
                                  {true, Machines::told, false},
                                  {true, Machines::told}};
    idgen::ends_at_broken_contract = false;
    Totals totals{};
    const char *failure = nullptr;
    for (std::uint64_t end; first <= last; first = end + 1) {
        end = std::min(last, 4 * first + 15);
        for (const Manner &manner : manners) {
            std::uint64_t seed = first_failure(first, end, manner, totals, failure);
            if (seed == 0) continue;
            return tell(true, "mutant " + name + " is found by sim " + manner.options() + std::to_string(seed) + ": " +
                                  failure);
        }
    }
    return tell(false, "mutant " + name + " is not found up to seed " + std::to_string(last));
}

std::uint64_t number_of(const char *argument) noexcept {
    return std::strtoull(argument, nullptr, 10);
}

// Takes an option of the manner, if that is one.
bool take_option(const char *option, Manner &manner) noexcept {
    if (std::strcmp(option, "--registry") == 0) {
        manner.has_registry = true;
    } else if (std::strcmp(option, "--copies") == 0) {
        manner.machines = Machines::told;
    } else if (std::strcmp(option, "--untold") == 0) {
        manner.machines = Machines::copied;
        manner.judges_bounds = false;
    } else {
        return false;
    }
    return true;
}

int main_of(int count, char **arguments) {
    Manner manner;
    while (count > 1 && take_option(arguments[1], manner)) count--, arguments++;
    if (count == 5 && std::strcmp(arguments[1], "--mutant") == 0)
        return check_mutant(arguments[2], number_of(arguments[3]), number_of(arguments[4]));
    if (count == 4 && std::strcmp(arguments[1], "--seeds") == 0) {
        auto check = manner.machines == Machines::copied ? find_duplicates : check_seeds;
        return check(number_of(arguments[2]), number_of(arguments[3]), manner);
    }
    if (count == 2) return replay(number_of(arguments[1]), manner);
    std::fprintf(stderr, "usage: sim [MANNER] SEED | [MANNER] --seeds FIRST LAST | --mutant NAME FIRST LAST\n");
    return 2;
}

}  // namespace
}  // namespace idgen::sim

int main(int count, char **arguments) {
    // Memory that one seed has used serves the next one: else the kernel clears it anew each time.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    return idgen::sim::main_of(count, arguments);
}
