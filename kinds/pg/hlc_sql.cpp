// The SQL face of the hybrid logical clock.

#include "core/horizon/trusted_clock.hpp"
#include "kinds/core/hlc.hpp"
#include "pg/draw/draw.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

// The clock of the database; resolved once for each call site.
Source &clock_source(FunctionCallInfo fcinfo) {
    Source &source = kept_source(fcinfo);
    if (!source.carries) resolve_clock(source, hlc_layout);
    return source;
}

// A timestamp that was received. Raises on one that no clock made, and on one too far ahead of this clock: the other
// one is wrong, or this one is, and waiting would hide it.
int64 remote_argument(FunctionCallInfo fcinfo) {
    require_argument(fcinfo, 0, "remote");
    int64 remote = PG_GETARG_INT64(0);
    if (remote < 0)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld is not an HLC timestamp", static_cast<long long>(remote)),
                errdetail("A timestamp is not negative: 48 bits of unix ms, 16 bits logical."),
                errhint("Give one that hlc_now() or hlc_make() made."));
    int64 now_ms = wall_ms();
    int64 remote_ms = unpack_hlc(remote).ms;
    if (remote_ms - now_ms > settings.max_lead_ms)
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the remote timestamp is %s ahead of the clock", duration_text(remote_ms - now_ms)),
            errdetail("It says %s, the clock says %s; idgen.max_lead is %s.", instant_text(remote_ms),
                      instant_text(now_ms), duration_text(settings.max_lead_ms)),
            errhint("Correct the clock that is wrong, or increase idgen.max_lead if the clocks are that far apart."));
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
    PG_RETURN_INT64(draw_timestamp(clock_source(fcinfo)));
}

Datum idgen_hlc_receive(PG_FUNCTION_ARGS) {
    int64 remote = remote_argument(fcinfo);
    PG_RETURN_INT64(draw_timestamp_above(clock_source(fcinfo), observed_hlc(remote)));
}

Datum idgen_hlc_time(PG_FUNCTION_ARGS) {
    int64 hlc = PG_GETARG_INT64(0);
    if (hlc < 0) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(us_of(unpack_hlc(hlc).ms));
}

Datum idgen_hlc_logical(PG_FUNCTION_ARGS) {
    int64 hlc = PG_GETARG_INT64(0);
    if (hlc < 0) PG_RETURN_NULL();
    PG_RETURN_INT32(static_cast<int32>(unpack_hlc(hlc).logical));
}

Datum idgen_hlc_make(PG_FUNCTION_ARGS) {
    HlcParts parts{ms_down(finite_us(PG_GETARG_TIMESTAMPTZ(0), finite_hint)), PG_GETARG_INT32(1)};
    HlcReason reason = check_hlc(parts);
    if (reason == HlcReason::logical_out_of_range)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("logical part %lld is out of range", static_cast<long long>(parts.logical)),
                errdetail("An HLC timestamp has logical parts from 0 to %d.", static_cast<int>(hlc_last_logical)),
                errhint("Give a number in that range."));
    if (reason != HlcReason::none) raise(refusal_of_hlc_time(parts.ms, hlc_last_ms));
    PG_RETURN_INT64(pack_hlc(parts));
}

}  // extern "C"

// The SQL face of what the kernel knows of its clock: the bounds of the true time, and waiting until an instant is past
// for certain.

namespace {

// Bounds as timestamptz. Raises if the kernel's clock is not synchronized.
ClockBounds bounds_now() {
    int64 before_us = wall_us();
    ClockState state = kernel_clock();
    int64 after_us = wall_us();
    if (!state.is_synchronized)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                tells_of_clock ? errmsg("the clock of this machine is not synchronized")
                               : errmsg("this system does not say whether its clock is synchronized"),
                errdetail("The kernel's NTP state gives no bound of its error."),
                tells_of_clock ? errhint("Start chrony or ntpd, and wait until it has set the clock.")
                               : errhint("Call it on a server on Linux."));
    return clock_bounds(before_us, after_us, state);
}

Datum range_of(const ClockBounds &bounds) {
    RangeBound lower{TimestampTzGetDatum(bounds.earliest_us), false, true, true};
    RangeBound upper{TimestampTzGetDatum(bounds.latest_us), false, true, false};
    TypeCacheEntry *type = lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
    return RangeTypePGetDatum(make_finite_range(type, &lower, &upper));
}

// Sleeps until an instant is past; raises at once if that would take longer than idgen.max_wait.
void wait_until_past(TimestampTz at) {
    int64 began_ms = monotonic_ms();
    for (;;) {
        int64 left_us = time_until_past(bounds_now(), at);
        if (left_us == 0) return;
        int64 left_ms = (left_us - 1) / 1000 + 1;
        int64 waited_ms = monotonic_ms() - began_ms;
        if (left_ms > settings.max_wait_ms - waited_ms)
            ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("%s is certain to be past only in %s", timestamptz_to_str(at), duration_text(left_ms)),
                    errdetail("Waited for %s; idgen.max_wait is %s.", duration_text(waited_ms),
                              duration_text(settings.max_wait_ms)),
                    errhint("Increase idgen.max_wait to wait for it."));
        sleep_us(left_us);
    }
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_clock_bounds);
PG_FUNCTION_INFO_V1(idgen_wait_until_past);

Datum idgen_clock_bounds(PG_FUNCTION_ARGS) {
    PG_RETURN_DATUM(range_of(bounds_now()));
}

Datum idgen_wait_until_past(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "at");
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
    if (TIMESTAMP_IS_NOEND(at))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("infinity is never past"),
                errdetail("The timestamp must be finite."), errhint("%s", finite_hint));
    wait_until_past(at);
    PG_RETURN_VOID();
}

}  // extern "C"

}  // namespace idgen::pg
