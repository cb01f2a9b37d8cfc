// The SQL face of the makers.

#include "core/slot/placement.hpp"
#include "pg/draw/draw.hpp"
#include "pg/draw/refusals.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

// IDs that next_ids takes from a slot at once: enough to make the lock cheap, few enough that sessions on one shard get
// their turns.
constexpr uint32 block_size = 64;

bool stands_for(const Source &source, const Layout &layout, int64 shard) noexcept {
    return source.settings_generation == settings.generation && source.shard_argument == shard &&
           source.layout == layout;
}

// Makes `source` stand for the shard and layout arguments; cheap if it already does.
void resolve_source(FunctionCallInfo fcinfo, Source &source, int shard_number, int layout_number) {
    if (PG_ARGISNULL(shard_number)) report_null("shard", null_id);
    if (PG_ARGISNULL(layout_number)) report_null("layout", null_id);
    int64 shard = PG_GETARG_INT64(shard_number);
    const Layout &layout = layout_argument(fcinfo, layout_number);
    if (stands_for(source, layout, shard)) return;
    require_own_group(layout);
    resolve(source, layout, shard);
}

// The source of next_id() by both defaults, which the planner calls without arguments; kept as long as the backend.
Source default_source{};

// Whether it stands for the settings, and for the numbers that are held now: a statement begins with those.
inline bool is_current_pool(const Source &source) noexcept {
    if (source.settings_generation != settings.generation) return false;
    return likely(!source.follows_pool) || source.pool_changes == changes_of_pool(*self.leases);
}

// The source of next_id(), if it is known from the call before: the way of most calls, which saves no register.
inline Source *known_source(FunctionCallInfo fcinfo) noexcept {
    if (fcinfo->nargs == 0) return is_current_pool(default_source) ? &default_source : nullptr;
    auto *source = static_cast<Source *>(fcinfo->flinfo->fn_extra);
    bool is_known = source != nullptr && !PG_ARGISNULL(0) && !PG_ARGISNULL(1) &&
                    stands_for(*source, layout_argument(fcinfo, 1), PG_GETARG_INT64(0));
    return is_known ? source : nullptr;
}

[[gnu::noinline, gnu::cold]] Source *resolved_source(FunctionCallInfo fcinfo) {
    if (fcinfo->nargs == 0) {
        default_source.memory = TopMemoryContext;
        const Layout &layout = presets[0].layout;
        require_own_group(layout);
        resolve(default_source, layout, own_shards);
        return &default_source;
    }
    Source &source = kept_source(fcinfo);
    resolve_source(fcinfo, source, 0, 1);
    return &source;
}

// What next_ids keeps between rows.
struct Rows {
    Source source;
    Block block;
    int64 left;  // rows still to give, those of the block included
};

[[noreturn]] void report_not_ascending(const char *argument) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must ascend", argument),
            errdetail("An element is smaller than the one before it."),
            errhint("Aggregate it in order: array_agg(value ORDER BY value)."));
}

// Argument 0, of that value. Raises if it is null or negative.
int64 count_argument(FunctionCallInfo fcinfo, int64 count) {
    require_argument(fcinfo, 0, "count");
    if (count < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("count must not be negative"),
                errdetail("It is %lld.", static_cast<long long>(count)), errhint("Ask for 0 IDs or more."));
    return count;
}

Rows *begin_rows(FunctionCallInfo fcinfo, FuncCallContext *call) {
    int64 count = count_argument(fcinfo, PG_GETARG_INT64(0));
    auto *rows = static_cast<Rows *>(MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Rows)));
    rows->source.memory = call->multi_call_memory_ctx;
    rows->left = count;
    return rows;
}

// Those that were drawn in a machine before this one are in each copy of it, and what a reset lies below may come again:
// then all are drawn again.
void fill(Source &source, int64 *ids, int64 count) {
    uint64 before = machine();
    uint32 resets = self.database->resets;
    for (int64 *next = ids, *end = ids + count; next < end;) {
        CHECK_FOR_INTERRUPTS();
        Block block = draw(source, static_cast<uint32>(end - next));
        for (uint32 i = 0; i < block.count; i++) *next++ = block.first_id + block.step * i;
        if (likely(before == machine() && resets == self.database->resets)) continue;
        before = machine();
        resets = self.database->resets;
        next = ids;
    }
}

// The shard to place in: its number if the layout has a field for it.
uint32 shard_argument(FunctionCallInfo fcinfo, const Layout &layout, const Packing &p) {
    if (PG_ARGISNULL(1) && layout.node_bits() == 0) return 0;
    require_argument(fcinfo, 1, "shard");
    int64 shard = PG_GETARG_INT64(1);
    if (shard < 0 || shard > p.shard_last) raise(refusal_of_shard(layout, shard));
    return static_cast<uint32>(shard);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_id);
PG_FUNCTION_INFO_V1(idgen_next_id_after);
PG_FUNCTION_INFO_V1(idgen_next_ids);
PG_FUNCTION_INFO_V1(idgen_next_id_array);
PG_FUNCTION_INFO_V1(idgen_own_shards);
PG_FUNCTION_INFO_V1(idgen_instagram);

[[gnu::flatten]] Datum idgen_next_id(PG_FUNCTION_ARGS) {
    Source *source = known_source(fcinfo);
    if (source == nullptr) source = resolved_source(fcinfo);
    PG_RETURN_INT64(draw_id(*source));
}

Datum idgen_next_id_after(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "id");
    Source &source = kept_source(fcinfo);
    resolve_source(fcinfo, source, 1, 2);
    PG_RETURN_INT64(draw_above_id(source, PG_GETARG_INT64(0)));
}

Datum idgen_next_ids(PG_FUNCTION_ARGS) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext *first = SRF_FIRSTCALL_INIT();
        first->user_fctx = begin_rows(fcinfo, first);
        resolve_source(fcinfo, static_cast<Rows *>(first->user_fctx)->source, 1, 2);
    }
    FuncCallContext *call = SRF_PERCALL_SETUP();
    auto *rows = static_cast<Rows *>(call->user_fctx);
    if (rows->left == 0) SRF_RETURN_DONE(call);
    require_postmaster();
    int64 id;
    while (unlikely(!next_of(rows->block, id))) {
        resolve_source(fcinfo, rows->source, 1, 2);
        rows->block = draw(rows->source, static_cast<uint32>(Min(rows->left, int64{block_size})));
    }
    rows->left--;
    SRF_RETURN_NEXT(call, Int64GetDatum(id));
}

Datum idgen_next_id_array(PG_FUNCTION_ARGS) {
    int64 count = count_argument(fcinfo, PG_GETARG_INT32(0));
    Source &source = kept_source(fcinfo);
    resolve_source(fcinfo, source, 1, 2);
    ArrayType *ids = make_array(count);
    fill(source, values_of(ids), count);
    PG_RETURN_ARRAYTYPE_P(ids);
}

Datum idgen_own_shards(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(own_shards);
}

Datum idgen_instagram(PG_FUNCTION_ARGS) {
    return copy_datum(presets[0].layout);
}

// The SQL face of placement: IDs for many instants at once, for the backfill of a table.

PG_FUNCTION_INFO_V1(idgen_make_array);

Datum idgen_make_array(PG_FUNCTION_ARGS) {
    if (PG_ARGISNULL(4)) report_null("layout", null_id);
    const Layout &layout = layout_argument(fcinfo, 4);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    require_argument(fcinfo, 2, "above");
    int64 count;
    const auto *instants = values_argument<TimestampTz>(fcinfo, 0, "created_at", count);
    Placement placement{shard_argument(fcinfo, layout, p), PG_GETARG_INT64(2), nullptr, 0};
    placement.taken = values_argument<int64>(fcinfo, 3, "taken", placement.taken_count);
    for (int64 i = 1; i < placement.taken_count; i++)
        if (placement.taken[i] < placement.taken[i - 1]) report_not_ascending("taken");
    ArrayType *ids = make_array(count);
    int64 *id = values_of(ids);
    for (int64 i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (i > 0 && instants[i] < instants[i - 1]) report_not_ascending("created_at");
        int64 tick = tick_argument(layout, p, instants[i], finite_hint);
        if (TickReason reason = place(p, placement, tick); reason != TickReason::none)
            raise(refusal_of_instant(reason, layout, instants[i]));
        id[i] = placement.above;
    }
    PG_RETURN_ARRAYTYPE_P(ids);
}

}  // extern "C"
}  // namespace idgen::pg
