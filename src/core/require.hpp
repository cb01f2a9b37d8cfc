// What a comment says under "Requires", checked: in every build of the tests, and in a server's build with
// IDGEN_CHECKED; nothing in the module that is shipped. A macro, so that there the condition is not even evaluated.
#pragma once

#if defined(IDGEN_CHECKED)

#include <cstdio>

namespace idgen {

// Off in the builds in which the simulator looks for what a removed guard leads to.
inline bool ends_at_broken_contract = true;

[[gnu::cold]] inline void print_broken_contract(const char *condition, const char *file, int line) noexcept {
    if (!ends_at_broken_contract) return;
    std::fprintf(stderr, "%s:%d: required: %s\n", file, line, condition);
    __builtin_trap();
}

}  // namespace idgen

#define IDGEN_REQUIRE(condition) \
    ((condition) ? static_cast<void>(0) : ::idgen::print_broken_contract(#condition, __FILE__, __LINE__))

#elif defined(__clang_analyzer__)
#define IDGEN_REQUIRE(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#else
#define IDGEN_REQUIRE(condition) static_cast<void>(0)
#endif
