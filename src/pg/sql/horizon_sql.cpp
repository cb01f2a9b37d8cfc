// The SQL face of clock, horizon and release, for the DBA.
#include "pg/horizon/horizon_admin.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/release.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/report/report_host.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {
namespace {

int64 horizon_argument(FunctionCallInfo fcinfo, const char *name) {
    require_argument(fcinfo, 0, name);
    int64 at_ms = finite_ms(PG_GETARG_TIMESTAMPTZ(0), finite_hint);
    if (at_ms < min_horizon_ms || at_ms > max_horizon_ms) report_bad_horizon(PG_GETARG_TIMESTAMPTZ(0));
    return at_ms;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_accept_clock);
PG_FUNCTION_INFO_V1(idgen_create_horizon);
PG_FUNCTION_INFO_V1(idgen_advance);
PG_FUNCTION_INFO_V1(idgen_reset);
PG_FUNCTION_INFO_V1(idgen_confirm_shards);
PG_FUNCTION_INFO_V1(idgen_require_library);

Datum idgen_accept_clock(PG_FUNCTION_ARGS) {
    confirm(shared_state()->accepted_clock, wall_minus_boot_ms());
    PG_RETURN_VOID();
}

Datum idgen_create_horizon(PG_FUNCTION_ARGS) {
    create_horizon();
    PG_RETURN_VOID();
}

Datum idgen_advance(PG_FUNCTION_ARGS) {
    int64 at_ms = horizon_argument(fcinfo, "at");
    // Up to the end of the millisecond: no ID below the instant, not even by a part of one.
    if (PG_GETARG_TIMESTAMPTZ(0) % 1000 != 0) at_ms++;
    advance_horizon(at_ms);
    PG_RETURN_VOID();
}

Datum idgen_reset(PG_FUNCTION_ARGS) {
    int64 at_ms = horizon_argument(fcinfo, "no_id_above");
    if (!superuser()) report_not_superuser(RiskyCall::reset);
    if (PG_GETARG_TIMESTAMPTZ(0) % 1000 != 0) at_ms++;
    reset_horizon(at_ms);
    PG_RETURN_VOID();
}

Datum idgen_confirm_shards(PG_FUNCTION_ARGS) {
    if (!superuser()) report_not_superuser(RiskyCall::confirm_shards);
    confirm_shards();
    PG_RETURN_VOID();
}

Datum idgen_require_library(PG_FUNCTION_ARGS) {
    const char *version = text_to_cstring(PG_GETARG_TEXT_PP(0));
    if (!is_library_at_least(version)) report_older_library(library_version(), version);
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::pg
