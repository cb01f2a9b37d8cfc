// The SQL face of placement: IDs for many instants at once, for the backfill of a table.
#include "core/issue/placement.hpp"
#include "pg/sql/arrays.hpp"

namespace idgen::pg {
namespace {

// The shard to place in: its number where the layout has a field for it.
uint32 shard_argument(FunctionCallInfo fcinfo, const Layout &layout, const Packing &p) {
    if (PG_ARGISNULL(1) && layout.node_bits() == 0) return 0;
    require_argument(fcinfo, 1, "shard");
    int64 shard = PG_GETARG_INT64(1);
    if (shard < 0 || shard > p.shard_last) report_shard_range(layout, shard);
    return static_cast<uint32>(shard);
}

void require_ascending(const int64 *taken, int64 count) {
    for (int64 i = 1; i < count; i++)
        if (taken[i] < taken[i - 1]) report_not_ascending("taken");
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_make_array);

Datum idgen_make_array(PG_FUNCTION_ARGS) {
    if (PG_ARGISNULL(4)) report_null("layout", true);
    const Layout &layout = layout_argument(fcinfo, 4);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    require_argument(fcinfo, 2, "above");
    int64 count;
    const auto *instants = values_argument<TimestampTz>(fcinfo, 0, "created_at", count);
    Placement placement{shard_argument(fcinfo, layout, p), PG_GETARG_INT64(2), nullptr, 0};
    placement.taken = values_argument<int64>(fcinfo, 3, "taken", placement.taken_count);
    require_ascending(placement.taken, placement.taken_count);
    ArrayType *ids = make_array(count);
    int64 *id = values_of(ids);
    for (int64 i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (i > 0 && instants[i] < instants[i - 1]) report_not_ascending("created_at");
        int64 tick = tick_argument(layout, p, instants[i], finite_hint);
        if (TickReason reason = place(p, placement, tick); reason != TickReason::none)
            report_instant(reason, layout, instants[i]);
        id[i] = placement.above;
    }
    PG_RETURN_ARRAYTYPE_P(ids);
}

}  // extern "C"
}  // namespace idgen::pg
