// The SQL face of clock, horizon and release, for the DBA.

#include "core/draw/moves.hpp"
#include "core/horizon/renewal.hpp"
#include "pg/draw/tally.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/horizon_admin.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/own_extension.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/monitor/statistics.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"
#include "pg/state/undecided.hpp"

namespace idgen::pg {

namespace {

// Calls that can make duplicates.
enum class RiskyCall : uint8 { reset, confirm_shards };

int detail_of(RiskyCall call) {
    switch (call) {
        case RiskyCall::reset:
            return errdetail("A horizon below the last ID makes duplicates.");
        case RiskyCall::confirm_shards:
            break;
    }
    return errdetail("Two servers with the same shards make the same IDs.");
}

const char *name_of(RiskyCall call) noexcept {
    return call == RiskyCall::reset ? "idgen.reset" : "idgen.confirm_shards";
}

[[noreturn]] void report_not_superuser(RiskyCall call) {
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", name_of(call)),
            detail_of(call), errhint("Have a superuser call it."));
}

// An instant to which the horizon is moved: no ID below it, not even by a part of a ms.
int64 horizon_argument(FunctionCallInfo fcinfo) {
    int64 at_ms = ms_up(finite_us(PG_GETARG_TIMESTAMPTZ(0), finite_hint));
    if (at_ms < min_horizon_ms || at_ms > max_horizon_ms)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%s cannot be the durable horizon", timestamptz_to_str(PG_GETARG_TIMESTAMPTZ(0))),
                errdetail("It lies in the years 2000 to 2200."), errhint("Give an instant near the clock."));
    return at_ms;
}

constexpr const char *far_advance_hint =
    "Correct the clock if it is behind, or give an instant at most an hour ahead of it; or, if that wait is meant, call it with far => true.";
constexpr const char *far_reset_hint =
    "Correct the clock if it is behind, or give an instant at most an hour ahead of it; if there are IDs up to a later one, then call idgen.advance() with that one and far => true.";

// Raises if no ID would be made for longer than a slip may cost.
void require_near(int64 at_ms, const char *hint) {
    int64 now_ms = wall_ms();
    if (!is_far_ahead(at_ms, now_ms)) return;
    const char *lead = duration_text(at_ms - now_ms);
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("the durable horizon would lie %s ahead of the clock", lead),
            errdetail("The clock says %s. No ID would be made in this database until %s.", instant_text(now_ms),
                      instant_text(at_ms)),
            errhint("%s", hint));
}

bool far_argument(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(1))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", "far"),
                errdetail("If true, the instant may lie more than an hour ahead of the clock."),
                errhint("Leave the argument out to use its default."));
    return PG_GETARG_BOOL(1);
}

bool force_argument(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(1))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", "force"),
                errdetail("If true, the horizon is lowered even if IDs could come twice."),
                errhint("Leave the argument out to use its default."));
    return PG_GETARG_BOOL(1);
}

// What contradicts a clock that is to be accepted: where IDs lie far ahead of it, it makes none.
void require_not_behind() {
    RecordPage page;
    bool is_known = peek_page(Record::horizon, page) == Renewal::granted && is_horizon(page.record.value);
    int64 now_ms = wall_ms();
    int64 behind_ms = is_known ? page.record.value - now_ms : 0;
    if (behind_ms <= horizon_rules().farthest_ms()) return;
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock is %s behind the durable horizon", duration_text(behind_ms)),
        errdetail("The clock says %s, the horizon is %s. To accept the clock would change nothing for this database.",
                  instant_text(now_ms), instant_text(page.record.value)),
        errhint("%s", far_horizon_hint));
}

void notice_unsynchronized() {
    if (kernel_clock().is_synchronized) return;
    ereport(NOTICE,
            tells_of_clock ? errmsg("the clock of this machine is not synchronized")
                           : errmsg("this system does not say whether its clock is synchronized"),
            errdetail("So the kernel says. IDs are dated from %s on.", instant_text(wall_ms())),
            errhint("If that is wrong, correct the clock at once, then have a superuser call idgen.reset()."));
}

// Says what a move of the horizon costs, if that is long enough to be noticed.
void notice_wait(int64 at_ms) {
    constexpr int64 noticed_ms = 1000;
    int64 wait_ms = at_ms - wall_ms() - settings.max_lead_ms;
    if (wait_ms < noticed_ms) return;
    ereport(NOTICE, errmsg("no ID will be made in this database for %s", duration_text(wait_ms)),
            errdetail("The next ones lie at or above %s.", instant_text(at_ms)),
            errhint("If that is a mistake, have a superuser call idgen.reset()."));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_accept_clock);
PG_FUNCTION_INFO_V1(idgen_create_horizon);
PG_FUNCTION_INFO_V1(idgen_create_generators);
PG_FUNCTION_INFO_V1(idgen_advance);
PG_FUNCTION_INFO_V1(idgen_reset);
PG_FUNCTION_INFO_V1(idgen_confirm_shards);
PG_FUNCTION_INFO_V1(idgen_require_library);

Datum idgen_accept_clock(PG_FUNCTION_ARGS) {
    SharedState *state = shared_state();
    require_not_behind();
    confirm(state->accepted_clock, wall_minus_boot_ms());
    notice_unsynchronized();
    PG_RETURN_VOID();
}

Datum idgen_create_horizon(PG_FUNCTION_ARGS) {
    create_horizon();
    PG_RETURN_VOID();
}

Datum idgen_create_generators(PG_FUNCTION_ARGS) {
    create_generators();
    PG_RETURN_VOID();
}

Datum idgen_advance(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "at");
    int64 at_ms = horizon_argument(fcinfo);
    if (!far_argument(fcinfo)) require_near(ms_down(PG_GETARG_TIMESTAMPTZ(0)), far_advance_hint);
    advance_horizon(at_ms);
    notice_wait(at_ms);
    PG_RETURN_VOID();
}

Datum idgen_reset(PG_FUNCTION_ARGS) {
    bool has_instant = !PG_ARGISNULL(0);
    int64 at_ms = has_instant ? horizon_argument(fcinfo) : 0;
    bool is_forced = force_argument(fcinfo);
    if (!superuser()) report_not_superuser(RiskyCall::reset);
    if (has_instant) require_near(ms_down(PG_GETARG_TIMESTAMPTZ(0)), far_reset_hint);
    notice_wait(reset_horizon(at_ms, is_forced));
    PG_RETURN_VOID();
}

Datum idgen_confirm_shards(PG_FUNCTION_ARGS) {
    if (!superuser()) report_not_superuser(RiskyCall::confirm_shards);
    confirm_shards();
    PG_RETURN_VOID();
}

Datum idgen_require_library(PG_FUNCTION_ARGS) {
    const char *version = text_to_cstring(PG_GETARG_TEXT_PP(0));
    if (!is_library_at_least(version)) {
        version = clip_text(version);
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the library of idgen %s is loaded, and %s is needed", library_version(), version),
                errdetail("The library's file was replaced after it was loaded, or was not replaced yet."),
                errhint("Install the library of idgen %s if it is not there, and restart the server.", version));
    }
    PG_RETURN_VOID();
}

}  // extern "C"

}  // namespace idgen::pg
