// SQL arguments as plain values, and the checks that several functions share.
#pragma once

#include "core/packing.hpp"
#include "pg/instant.hpp"
#include "pg/postgres.hpp"
#include "pg/report.hpp"

namespace idgen::pg {

inline const Layout &layout_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const Layout *>(PG_GETARG_POINTER(number));
}

// For functions that are not strict: raises on null, naming the argument.
inline void require_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) report_null(name);
}

// The instant in unix ms. Raises on infinity.
inline int64 finite_ms(TimestampTz at) {
    if (TIMESTAMP_NOT_FINITE(at)) report_infinite_instant();
    return to_unix_ms(at);
}

// The tick of an instant. Raises on infinity and on an instant that the layout cannot hold.
inline int64 tick_argument(const Layout &layout, const Packing &p, TimestampTz at) {
    int64 tick = tick_of(p, finite_ms(at));
    if (Reason reason = check_tick(p, tick); reason != Reason::none) report_instant(reason, layout, at);
    return tick;
}

}  // namespace idgen::pg
