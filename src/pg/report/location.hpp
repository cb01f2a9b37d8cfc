// Where a fault was found: the file, line and function that an error shows under \errverbose and in the log
// at log_error_verbosity = verbose. A report function takes it as its last argument, which nobody gives: the
// default is that of the call.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

struct Location {
    const char *file;
    int line;
    const char *function;

    static constexpr Location here(const char *file = __builtin_FILE(), int line = __builtin_LINE(),
                                   const char *function = __builtin_FUNCTION()) noexcept {
        return {file, line, function};
    }
};

}  // namespace idgen::pg

// ereport and errsave with another location than their own. Macros as these are: what they are given is
// evaluated between the beginning of a message and its end.
#define ereport_at(at, level, ...)                                                              \
    do {                                                                                        \
        if (errstart(level, TEXTDOMAIN)) __VA_ARGS__, errfinish(at.file, at.line, at.function); \
        if (__builtin_constant_p(level) && (level) >= ERROR) pg_unreachable();                  \
    } while (0)

#if PG_VERSION_NUM >= 160000
#define errsave_at(at, context, ...)                                                                           \
    do {                                                                                                       \
        Node *soft = (context);                                                                                \
        if (errsave_start(soft, TEXTDOMAIN)) __VA_ARGS__, errsave_finish(soft, at.file, at.line, at.function); \
    } while (0)
#else
#define errsave_at(at, context, ...) ereport_at(at, ERROR, __VA_ARGS__)
#endif
