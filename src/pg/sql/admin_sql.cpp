// The SQL face of clock, horizon and release, for the DBA; and of the statistics: one row for each slot, backend and
// database.

#include "core/draw/moves.hpp"
#include "pg/draw/wait.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/horizon_admin.hpp"
#include "pg/host/rows.hpp"
#include "pg/monitor/facts.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

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

// The second argument; `what` is what it does if it is true.
bool flag_argument(FunctionCallInfo fcinfo, const char *name, const char *what) {
    if (PG_ARGISNULL(1)) report_null(name, what);
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

// Layout and shard. The hybrid logical clock has neither, though it packs like a layout.
void set_owner(Row &row, bool known, SlotOwner &owner) {
    row.set_if(known && !owner.is_clock, "layout", PointerGetDatum(&owner.layout));
    row.set_if(known && owner.layout.node_bits() > 0, "shard", int_datum(owner.shard));
}

void put_slot(ReturnSetInfo *rows, const SlotCopy &copy) {
    SlotOwner owner = owner_of(copy);
    Packing p = packing_of(owner.layout);
    const Slot &slot = copy.slot;
    Row row(rows);
    set_owner(row, true, owner);
    row.set("ids", count_datum(slot.ids));
    row.set("waits", count_datum(copy.waits));
    row.set("wait_time", ms_datum(copy.wait_us));
    row.set("borrows", count_datum(slot.borrows));
    row.set("holds", count_datum(slot.holds));
    row.set("max_lead", Int64GetDatum(copy.max_lead_ms));
    if (slot.sequence != no_sequence) {
        row.set("last_id", Int64GetDatum(pack(p, slot.tick, owner.shard, slot.sequence)));
        row.set("last_time", TimestampTzGetDatum(start_of(p, slot.tick)));
    }
    row.put();
}

void put_backend(ReturnSetInfo *rows, BackendCopy &copy) {
    Row row(rows);
    row.set("pid", int_datum(copy.pid));
    row.set("datid", ObjectIdGetDatum(copy.database));
    row.set("usesysid", ObjectIdGetDatum(copy.user));
    set_owner(row, copy.has_slot, copy.owner);
    row.set("ids", count_datum(copy.ids));
    row.set("waits", count_datum(copy.waits));
    row.set("wait_time", ms_datum(copy.wait_us));
    row.set_if(copy.last_id != 0, "last_id", count_datum(copy.last_id));
    row.set_if(copy.announced_ms != 0, "draws_from", time_datum(copy.announced_ms));
    row.put();
}

void put_prepared(ReturnSetInfo *rows, const PreparedAnnouncement &prepared) {
    Row row(rows);
    row.set("datid", ObjectIdGetDatum(prepared.database));
    if (prepared.start_ms != INT64_MIN) row.set("draws_from", time_datum(prepared.start_ms));
    row.set("prepared", TransactionIdGetDatum(prepared.xid));
    row.put();
}

void put_database(ReturnSetInfo *rows, const Survey &survey) {
    bool is_loaded = survey.is_loaded;
    Row row(rows);
    row.set("in_recovery", BoolGetDatum(survey.in_recovery));
    row.set_if(survey.page == Renewal::granted, "horizon", time_datum(survey.horizon_ms));
    row.set_if(is_loaded, "renewals", count_datum(survey.renewals));
    row.set_if(survey.renewed_ms != 0, "renewed_at", time_datum(survey.renewed_ms));
    row.set_if(is_loaded, "stall", Int64GetDatum(survey.stall_ms));
    row.set_if(is_loaded, "lead", Int64GetDatum(survey.lead_ms));
    bool is_settled = survey.has_settled && survey.settled.held_by != HeldBy::unknown;
    if (is_settled) row.set("settled_lag", Int64GetDatum(settled_lag_ms(survey)));
    row.set_if(survey.has_accepted_clock, "clock_offset", Int64GetDatum(survey.clock_offset_ms));
    row.set_if(is_loaded, "clock_steps_forward", count_datum(survey.steps_forward));
    row.set_if(is_loaded, "clock_steps_back", count_datum(survey.steps_back));
    row.set("clock_synchronized", BoolGetDatum(survey.kernel.is_synchronized));
    row.set("clock_max_error", ms_datum(static_cast<uint64>(survey.kernel.max_error_us)));
    row.set("synchronous", BoolGetDatum(survey.has_standby_names));
    row.set("standbys", int_datum(survey.standbys));
    row.set_if(is_loaded, "slots", int_datum(survey.slots));
    row.set_if(is_loaded, "slots_limit", int_datum(survey.slots_limit));
    row.set_if(is_loaded, "server_slots", int_datum(survey.server_slots));
    row.set_if(is_loaded, "server_slots_limit", int_datum(survey.server_slots_limit));
    row.set_if(is_loaded, "server_databases", int_datum(survey.server_databases));
    row.set_if(is_loaded, "server_databases_limit", int_datum(survey.server_databases_limit));
    Layout ending = survey.ending;
    row.set_if(is_loaded, "layout", PointerGetDatum(&ending));
    row.set_if(is_loaded, "layout_end", time_datum(survey.end_ms));
    row.put();
}

void put_fact(ReturnSetInfo *rows, const char *key, const Fact &fact) {
    if (fact.value == nullptr) return;
    Row row(rows);
    row.set("key", CStringGetTextDatum(key));
    row.set("value", CStringGetTextDatum(fact.value));
    row.set("ok", BoolGetDatum(fact.is_ok));
    if (fact.advice != nullptr) row.set("advice", CStringGetTextDatum(fact.advice));
    row.put();
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
    bool is_far = flag_argument(fcinfo, "far", "If true, the instant may lie more than an hour ahead of the clock.");
    if (!is_far) require_near(ms_down(PG_GETARG_TIMESTAMPTZ(0)), far_advance_hint);
    advance_horizon(at_ms);
    notice_wait(at_ms);
    PG_RETURN_VOID();
}

Datum idgen_reset(PG_FUNCTION_ARGS) {
    bool has_instant = !PG_ARGISNULL(0);
    int64 at_ms = has_instant ? horizon_argument(fcinfo) : 0;
    bool is_forced = flag_argument(fcinfo, "force", "If true, the horizon is lowered even if IDs could come twice.");
    require_superuser("idgen.reset", "A horizon below the last ID makes duplicates.");
    if (has_instant) require_near(ms_down(PG_GETARG_TIMESTAMPTZ(0)), far_reset_hint);
    notice_wait(reset_horizon(at_ms, is_forced));
    PG_RETURN_VOID();
}

Datum idgen_confirm_shards(PG_FUNCTION_ARGS) {
    require_superuser("idgen.confirm_shards", "Two servers with the same shards make the same IDs.");
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

PG_FUNCTION_INFO_V1(idgen_stat_shard);
PG_FUNCTION_INFO_V1(idgen_stat_backend);
PG_FUNCTION_INFO_V1(idgen_stat_database);
PG_FUNCTION_INFO_V1(idgen_status);
PG_FUNCTION_INFO_V1(idgen_reset_stats);
PG_FUNCTION_INFO_V1(idgen_stat_errors);

Datum idgen_stat_shard(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SlotCopies slots = copy_slots(shared_state());
    for (uint32 i = 0; i < slots.count; i++)
        if (is_of_database(slots.rows[i], MyDatabaseId)) put_slot(rows, slots.rows[i]);
    return Datum{0};
}

Datum idgen_stat_backend(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    SharedState *state = shared_state();
    BackendCopy copy;
    for (uint32 i = 0; i < state->backend_count; i++)
        if (copy_backend(state, i, copy)) put_backend(rows, copy);
    for (uint32 i = 0; i < state->backend_count; i++)
        if (copy_leader(state, i, copy)) put_backend(rows, copy);
    PreparedCopies prepared = copy_prepared(state);
    for (uint32 i = 0; i < prepared.count; i++) put_prepared(rows, prepared.rows[i]);
    return Datum{0};
}

Datum idgen_stat_database(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    put_database(rows, take_survey());
    return Datum{0};
}

Datum idgen_status(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    Survey survey = take_survey();
    for (const FactSource &source : facts)
        if (survey.is_loaded || !source.needs_library) put_fact(rows, source.key, fact_of(source, survey));
    return Datum{0};
}

Datum idgen_stat_errors(PG_FUNCTION_ARGS) {
    SharedState *state = find_shared_state();
    if (state == nullptr) PG_RETURN_NULL();
    PG_RETURN_DATUM(count_datum(pg_atomic_read_u64(&state->errors)));
}

Datum idgen_reset_stats(PG_FUNCTION_ARGS) {
    reset_tallies(shared_state());
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::pg
