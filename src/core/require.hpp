// What a comment says under "Requires", checked: in every build of the tests, and in the server's builds with
// IDGEN_CHECKED; nothing at all in the module that is shipped. A macro, so that the condition is not even evaluated there.
#pragma once

#include <cstdio>

namespace idgen {

[[noreturn, gnu::cold]] inline void end_at_broken_contract(const char *condition, const char *file, int line) noexcept {
    std::fprintf(stderr, "%s:%d: required: %s\n", file, line, condition);
    __builtin_trap();
}

}  // namespace idgen

// The static analyzer reads the conditions, too.
#if defined(IDGEN_CHECKED) || defined(__clang_analyzer__)
#define IDGEN_REQUIRE(condition) \
    ((condition) ? static_cast<void>(0) : ::idgen::end_at_broken_contract(#condition, __FILE__, __LINE__))
#else
#define IDGEN_REQUIRE(condition) static_cast<void>(0)
#endif
