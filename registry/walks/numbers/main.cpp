// lease                    checks all seeds and reports in TAP
// lease --seeds FIRST LAST  checks others
// lease SEED               replays one seed
// lease --mutant NAME      looks for a seed in which an ID is made twice
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/require.hpp"
#include "world.hpp"

namespace idgen::lease {
namespace {

constexpr std::uint64_t all_seeds = 60000, mutant_seeds = 300000, copied_seeds = 2000;
constexpr int steps = 400;

struct Totals {
    std::int64_t ids = 0, calls = 0, taken = 0, lost = 0;

    void add(const World &world) noexcept {
        ids += world.ids();
        calls += world.calls();
        taken += world.taken();
        lost += world.lost();
    }
};

// The first seed in which an ID is made twice; 0: none.
std::uint64_t first_duplicate(std::uint64_t first, std::uint64_t last, Totals &totals) {
    for (std::uint64_t seed = first; seed <= last; seed++) {
        World world(seed);
        world.run(steps);
        totals.add(world);
        const auto &twice = world.duplicate();
        if (!twice) continue;
        std::printf("# seed %" PRIu64 ": database %" PRId64 ", number %" PRId64 ", tick %" PRId64
                    ", by servers %zu and %zu\n",
                    seed, twice->database, twice->number, twice->tick, twice->first, twice->second);
        return seed;
    }
    return 0;
}

void print_totals(std::uint64_t seeds, const Totals &totals) {
    std::printf("# %" PRIu64 " seeds, %" PRId64 " IDs, %" PRId64 " calls, %" PRId64 " numbers taken, %" PRId64
                " lost\n",
                seeds, totals.ids, totals.calls, totals.taken, totals.lost);
}

// Two copies of a machine's memory that are not told make IDs twice, and only below an R that both hold.
bool do_copies_repeat() {
    std::uint64_t seeds = 0, twice = 0, below = 0;
    for (; seeds < copied_seeds; seeds++) {
        World world(seeds + 1, Walk::copied_memory);
        world.run(steps);
        if (!world.duplicate()) continue;
        twice++;
        if (world.is_below_shared()) below++;
    }
    std::printf("# a copied memory: IDs made twice by %" PRIu64 " of %" PRIu64 " walks, %" PRIu64
                " below an R of both\n",
                twice, seeds, below);
    return twice > seeds / 10 && below == twice;
}

int check_all() {
    Totals totals;
    int number = 0, failed = 0;
    for (std::uint64_t first = 1; first <= all_seeds; first += 10000) {
        bool is_good = first_duplicate(first, first + 9999, totals) == 0;
        failed += !is_good;
        std::printf("%sok %d - lease: seeds %" PRIu64 " to %" PRIu64 "\n", is_good ? "" : "not ", ++number, first,
                    first + 9999);
    }
    bool is_busy = totals.ids >= 5000000 && totals.taken >= 300000 && totals.lost >= 30000;
    failed += !is_busy;
    std::printf("%sok %d - lease: the runs were busy\n", is_busy ? "" : "not ", ++number);
    bool is_shown = do_copies_repeat();
    failed += !is_shown;
    std::printf(
        "%sok %d - lease: two copies of a machine's memory that are not told make IDs twice, with right clocks\n1..%d\n",
        is_shown ? "" : "not ", number + 1, number + 1);
    print_totals(all_seeds, totals);
    return failed == 0 ? 0 : 1;
}

// Other seeds than the suite's own.
int check_seeds(std::uint64_t first, std::uint64_t last) {
    Totals totals;
    bool is_good = first_duplicate(first, last, totals) == 0;
    std::printf("%sok 1 - lease: seeds %" PRIu64 " to %" PRIu64 "\n1..1\n", is_good ? "" : "not ", first, last);
    print_totals(last - first + 1, totals);
    return is_good ? 0 : 1;
}

int check_mutant(const char *name) {
    idgen::ends_at_broken_contract = false;
    Totals totals;
    std::uint64_t seed = first_duplicate(1, mutant_seeds, totals);
    std::printf("%sok - lease: mutant %s: the first duplicate at seed %" PRIu64 "\n", seed == 0 ? "not " : "", name,
                seed);
    return seed == 0 ? 1 : 0;
}

int main_of(int count, char **arguments) {
    if (count == 1) return check_all();
    if (count == 3 && std::strcmp(arguments[1], "--mutant") == 0) return check_mutant(arguments[2]);
    if (count == 4 && std::strcmp(arguments[1], "--seeds") == 0)
        return check_seeds(std::strtoull(arguments[2], nullptr, 10), std::strtoull(arguments[3], nullptr, 10));
    Totals totals;
    std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
    return first_duplicate(seed, seed, totals) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace idgen::lease

int main(int count, char **arguments) {
    return idgen::lease::main_of(count, arguments);
}
