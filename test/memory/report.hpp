// Reports what was explored, in TAP.
#pragma once

#include "explorer.hpp"

// One test: that something was found, or that nothing was.
void report(const char *program, const char *what, const explorer::Finding &finding, bool is_expected);

void explore_litmus();
namespace idgen::explored {
void explore_draws();
void explore_leases();
void explore_settled();
void explore_pairs();
}  // namespace idgen::explored
