// SQL arguments as plain values, and the checks that several functions share.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/postgres.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/instant.hpp"
#include "pg/report/report_arguments.hpp"

namespace idgen::pg {

inline const Layout &layout_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const Layout *>(PG_GETARG_POINTER(number));
}

// For functions that are not strict: raises on null in an argument without a default, naming it.
inline void require_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) report_null(name, false);
}

constexpr const char *bound_hint = "Leave that bound out of the condition.";

// The instant in unix ms. Raises on infinity.
inline int64 finite_ms(TimestampTz at, const char *hint) {
    if (TIMESTAMP_NOT_FINITE(at)) report_infinite_instant(hint);
    return to_unix_ms(at);
}

// The tick of an instant. Raises on infinity and on an instant that the layout cannot hold.
inline int64 tick_argument(const Layout &layout, const Packing &p, TimestampTz at, const char *hint) {
    int64 tick = tick_of(p, finite_ms(at, hint));
    if (TickReason reason = check_tick(p, tick); reason != TickReason::none) report_instant(reason, layout, at);
    return tick;
}

}  // namespace idgen::pg
