// Why no ID is made, in words that stand once: an error has them as message, DETAIL and HINT, and idgen.status() as value
// and advice of the row that they name.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Texts are constants or by palloc.
struct Refusal {
    int code;  // the SQLSTATE
    const char *what;
    const char *detail;
    const char *advice;
    const char *row;  // of idgen.status()
};

inline void say(int level, const Refusal &refusal) {
    ereport(level, errcode(refusal.code), errmsg("%s", refusal.what), errdetail("%s", refusal.detail),
            errhint("%s", refusal.advice));
}

[[noreturn]] inline void raise(const Refusal &refusal) {
    say(ERROR, refusal);
    pg_unreachable();
}

}  // namespace idgen::pg
