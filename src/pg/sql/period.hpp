// A period of SQL, a tstzrange, as the span of its IDs in a layout.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/postgres.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {

// The first whole ms at or after an instant; without the instant itself unless `itself`.
constexpr int64 ms_from(TimestampTz at, bool itself) noexcept {
    int64 ms = to_unix_ms(at);
    return itself && at % 1000 == 0 ? ms : ms + 1;
}

// A bound as the first ms that lies beyond it, seen from before: for a lower bound the first ms of
// the period, for an upper one the first after it.
inline int64 bound_ms(const Packing &p, const RangeBound &bound) {
    int64 end = start_of(p, p.tick_end);
    if (bound.infinite) return bound.lower ? p.epoch_ms : end;
    TimestampTz at = DatumGetTimestampTz(bound.val);
    if (TIMESTAMP_IS_NOBEGIN(at)) return p.epoch_ms;
    if (TIMESTAMP_IS_NOEND(at)) return end;
    return ms_from(at, bound.inclusive == bound.lower);
}

// The span of a period and a layout that are arguments. Raises where the layout's time wraps.
inline IdSpan span_argument(FunctionCallInfo fcinfo, int period_number, int layout_number) {
    const Layout &layout = layout_argument(fcinfo, layout_number);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    const RangeType *period = PG_GETARG_RANGE_P(period_number);
    RangeBound lower, upper;
    bool is_empty;
    range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(period)), period, &lower, &upper, &is_empty);
    return is_empty ? no_ids : span_between(p, bound_ms(p, lower), bound_ms(p, upper));
}

}  // namespace idgen::pg
