#include <cstdio>

#include "explorer.hpp"

namespace {

int tests = 0, failed = 0;
long executions = 0;

}  // namespace

void report(const char *program, const char *what, const explorer::Finding &finding, bool is_expected) {
    bool is_found = finding.what != nullptr;
    bool is_ok = is_found == is_expected && finding.is_complete;
    std::printf("%s %d - %s: %s: %s in %ld executions%s\n", is_ok ? "ok" : "not ok", ++tests, program, what,
                is_found ? finding.what : "nothing found", finding.executions,
                finding.is_complete ? "" : ", not all of them");
    failed += is_ok ? 0 : 1;
    executions += finding.executions;
}

int main() {
    explore_litmus();
    idgen::explored::explore_draws();
    idgen::explored::explore_leases();
    idgen::explored::explore_settled();
    idgen::explored::explore_pairs();
    std::printf("1..%d\n# %ld executions\n", tests, executions);
    return failed == 0 ? 0 : 1;
}
