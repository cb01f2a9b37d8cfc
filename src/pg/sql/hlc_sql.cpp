// The SQL face of the hybrid logical clock.
#include "core/kinds/hlc.hpp"

#include "pg/draw/draw.hpp"
#include "pg/draw/draw_above.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_hlc.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// The clock of the database; resolved once for each call site.
Source &clock_source(FunctionCallInfo fcinfo) {
    Source &source = kept_source(fcinfo);
    if (!source.carries) resolve_hlc(source);
    return source;
}

// A timestamp that was received. Raises on one that no clock made, and on one too far ahead of this clock:
// the other one is wrong, or this one is, and waiting would hide it.
int64 remote_argument(FunctionCallInfo fcinfo) {
    require_argument(fcinfo, 0, "remote");
    int64 remote = PG_GETARG_INT64(0);
    if (remote < 0) report_no_hlc(remote);
    int64 now_ms = wall_ms();
    int64 remote_ms = unpack_hlc(remote).ms;
    if (remote_ms - now_ms > settings.max_lead_ms) report_remote_ahead(remote_ms, now_ms, settings.max_lead_ms);
    return remote;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_hlc_now);
PG_FUNCTION_INFO_V1(idgen_hlc_receive);
PG_FUNCTION_INFO_V1(idgen_hlc_time);
PG_FUNCTION_INFO_V1(idgen_hlc_logical);
PG_FUNCTION_INFO_V1(idgen_hlc_make);

Datum idgen_hlc_now(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(draw_id(clock_source(fcinfo)));
}

Datum idgen_hlc_receive(PG_FUNCTION_ARGS) {
    int64 remote = remote_argument(fcinfo);
    PG_RETURN_INT64(draw_above_hlc(clock_source(fcinfo), remote));
}

Datum idgen_hlc_time(PG_FUNCTION_ARGS) {
    int64 hlc = PG_GETARG_INT64(0);
    if (hlc < 0) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(to_timestamptz(unpack_hlc(hlc).ms));
}

Datum idgen_hlc_logical(PG_FUNCTION_ARGS) {
    int64 hlc = PG_GETARG_INT64(0);
    if (hlc < 0) PG_RETURN_NULL();
    PG_RETURN_INT32(static_cast<int32>(unpack_hlc(hlc).logical));
}

Datum idgen_hlc_make(PG_FUNCTION_ARGS) {
    HlcParts parts{finite_ms(PG_GETARG_TIMESTAMPTZ(0), finite_hint), PG_GETARG_INT32(1)};
    HlcReason reason = check_hlc(parts);
    if (reason == HlcReason::logical_out_of_range) report_hlc_logical(parts.logical);
    if (reason != HlcReason::none) report_hlc_time(parts.ms);
    PG_RETURN_INT64(pack_hlc(parts));
}

}  // extern "C"
}  // namespace idgen::pg
