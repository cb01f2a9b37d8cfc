// The SQL face of clock, horizon and release, for the DBA.

#include "core/durable/renewal.hpp"
#include "core/issue/moves.hpp"
#include "core/kinds/decimal_id.hpp"
#include "pg/draw/tally.hpp"
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

// An instant to which the horizon is moved.
int64 horizon_argument(FunctionCallInfo fcinfo, const char *name) {
    require_argument(fcinfo, 0, name);
    int64 at_ms = finite_ms(PG_GETARG_TIMESTAMPTZ(0), finite_hint);
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

// Says what a move of the horizon costs, if that is long enough to be noticed.
void tell_wait(int64 at_ms) {
    constexpr int64 noticed_ms = 1000;
    int64 wait_ms = at_ms - wall_ms() - settings.max_lead_ms;
    if (wait_ms < noticed_ms) return;
    ereport(NOTICE, errmsg("no ID will be made in this database for %s", duration_text(wait_ms)),
            errdetail("The next ones lie at or above %s.", instant_text(at_ms)),
            errhint("If that is a mistake, have a superuser call idgen.reset() with a time above the last ID."));
}

// Up to the end of the millisecond: no ID below the instant, not even by a part of one.
int64 end_of_ms(int64 at_ms, TimestampTz at) noexcept {
    return at % 1000 != 0 ? at_ms + 1 : at_ms;
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
    if (!far_argument(fcinfo)) require_near(at_ms, far_advance_hint);
    at_ms = end_of_ms(at_ms, PG_GETARG_TIMESTAMPTZ(0));
    advance_horizon(at_ms);
    tell_wait(at_ms);
    PG_RETURN_VOID();
}

Datum idgen_reset(PG_FUNCTION_ARGS) {
    int64 at_ms = horizon_argument(fcinfo, "no_id_above");
    if (!superuser()) report_not_superuser(RiskyCall::reset);
    require_near(at_ms, far_reset_hint);
    at_ms = end_of_ms(at_ms, PG_GETARG_TIMESTAMPTZ(0));
    reset_horizon(at_ms);
    tell_wait(at_ms);
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

// The SQL face of the statistics: one row for each slot, backend and database.

namespace {

Datum count_datum(uint64 count) {
    return Int64GetDatum(static_cast<int64>(count));
}

Datum ms_datum(uint64 us) {
    return Float8GetDatum(static_cast<double>(us) / 1000);
}

// Layout and shard. The hybrid logical clock has neither, though it packs like a layout.
template <int columns>
void add_owner(Row<columns> &row, bool known, SlotOwner &owner) {
    row.add_if(known && !owner.is_hlc, PointerGetDatum(&owner.layout));
    row.add_if(known && owner.layout.node_bits() > 0, Int32GetDatum(static_cast<int32>(owner.shard)));
}

void put_slot(ReturnSetInfo *rows, const SlotCopy &copy) {
    SlotOwner owner = owner_of(copy);
    Packing p = packing_of(owner.layout);
    const Slot &slot = copy.slot;
    bool has_id = slot.sequence != no_sequence;
    int64 last_id = has_id ? pack(p, slot.tick, owner.shard, slot.sequence) : 0;
    Row<10> row;
    add_owner(row, true, owner);
    row.add(count_datum(slot.ids));
    row.add(count_datum(copy.waits));
    row.add(ms_datum(copy.wait_us));
    row.add(count_datum(slot.borrows));
    row.add(count_datum(slot.holds));
    row.add(Int64GetDatum(copy.max_lead_ms));
    row.add_if(has_id, Int64GetDatum(last_id));
    row.add_if(has_id, TimestampTzGetDatum(to_timestamptz(start_of(p, slot.tick))));
    row.put(rows);
}

void put_backend(ReturnSetInfo *rows, BackendCopy &copy) {
    Row<11> row;
    row.add(Int32GetDatum(static_cast<int32>(copy.pid)));
    row.add(ObjectIdGetDatum(copy.database));
    row.add(ObjectIdGetDatum(copy.user));
    add_owner(row, copy.has_slot, copy.owner);
    row.add(count_datum(copy.ids));
    row.add(count_datum(copy.waits));
    row.add(ms_datum(copy.wait_us));
    row.add_if(copy.last_id != 0, count_datum(copy.last_id));
    row.add_if(copy.announced_ms != 0, TimestampTzGetDatum(to_timestamptz(copy.announced_ms)));
    row.skip(1);
    row.put(rows);
}

void put_prepared(ReturnSetInfo *rows, const PreparedAnnouncement &prepared) {
    bool is_known = prepared.start_ms != INT64_MIN;
    Row<11> row;
    row.skip(1);
    row.add(ObjectIdGetDatum(prepared.database));
    row.skip(7);
    row.add_if(is_known, is_known ? TimestampTzGetDatum(to_timestamptz(prepared.start_ms)) : Datum{0});
    row.add(TransactionIdGetDatum(prepared.xid));
    row.put(rows);
}

void put_database(ReturnSetInfo *rows, const Survey &survey) {
    bool is_loaded = survey.is_loaded;
    Row<20> row;
    row.add(BoolGetDatum(survey.in_recovery));
    row.add_if(survey.page == Renewal::granted, TimestampTzGetDatum(to_timestamptz(survey.horizon_ms)));
    row.add_if(is_loaded, count_datum(survey.renewals));
    row.add_if(survey.renewed_ms != 0, TimestampTzGetDatum(to_timestamptz(survey.renewed_ms)));
    row.add_if(is_loaded, Int64GetDatum(survey.stall_ms));
    row.add_if(is_loaded, Int64GetDatum(survey.lead_ms));
    bool is_settled = survey.has_settled && survey.settled.held_by != HeldBy::unknown;
    row.add_if(is_settled, is_settled ? Int64GetDatum(settled_lag_ms(survey)) : Datum{0});
    row.add_if(survey.has_accepted_clock, Int64GetDatum(survey.clock_offset_ms));
    row.add_if(is_loaded, count_datum(survey.steps_forward));
    row.add_if(is_loaded, count_datum(survey.steps_back));
    row.add(BoolGetDatum(survey.kernel.is_synchronized));
    row.add(ms_datum(static_cast<uint64>(survey.kernel.max_error_us)));
    row.add(BoolGetDatum(survey.has_standby_names));
    row.add(Int32GetDatum(static_cast<int32>(survey.standbys)));
    row.add_if(is_loaded, Int32GetDatum(static_cast<int32>(survey.slots)));
    row.add_if(is_loaded, Int32GetDatum(static_cast<int32>(survey.slots_limit)));
    row.add_if(is_loaded, Int32GetDatum(static_cast<int32>(survey.server_slots)));
    row.add_if(is_loaded, Int32GetDatum(static_cast<int32>(survey.server_slots_limit)));
    Layout ending = survey.ending;
    row.add_if(is_loaded, PointerGetDatum(&ending));
    row.add_if(is_loaded, TimestampTzGetDatum(to_timestamptz(survey.end_ms)));
    row.put(rows);
}

void put_number(ReturnSetInfo *rows, const WantedNumber &number) {
    Row<4> row;
    row.add(Int32GetDatum(static_cast<int32>(number.number)));
    row.add(BoolGetDatum(number.is_by_hand));
    row.add(BoolGetDatum(number.is_held));
    row.add_if(number.is_held, TimestampTzGetDatum(to_timestamptz(number.horizon_ms)));
    row.put(rows);
}

void put_registry(ReturnSetInfo *rows, const LeaseSurvey &leases) {
    const RegistryState &registry = leases.registry;
    Row<11> row;
    row.add(Int32GetDatum(static_cast<int32>(leases.held)));
    row.add_if(leases.held > 0, TimestampTzGetDatum(to_timestamptz(leases.nearest_ms)));
    row.add(Int64GetDatum(leases.window_ms));
    row.add_if(registry.keeper_pid != 0, Int32GetDatum(registry.keeper_pid));
    row.add_if(registry.answered_ms != 0, TimestampTzGetDatum(to_timestamptz(registry.answered_ms)));
    row.add_if(registry.silent_since_ms != 0, TimestampTzGetDatum(to_timestamptz(registry.silent_since_ms)));
    const char *trouble = all_troubles(leases);
    row.add_if(trouble[0] != '\0', CStringGetTextDatum(trouble));
    row.add(Int32GetDatum(static_cast<int32>(registry.counters.count)));
    row.add(Int32GetDatum(static_cast<int32>(registry.counters.in_trouble)));
    row.add(Int32GetDatum(registry.counters.most_used_percent));
    row.add_if(registry.counters.trouble[0] != '\0', CStringGetTextDatum(registry.counters.trouble));
    row.put(rows);
}

void put_fact(ReturnSetInfo *rows, const Fact &fact) {
    if (fact.key == nullptr) return;
    Row<4> row;
    row.add(CStringGetTextDatum(fact.key));
    row.add(CStringGetTextDatum(fact.value));
    row.add(BoolGetDatum(fact.is_ok));
    row.add_if(fact.advice != nullptr, fact.advice == nullptr ? Datum{0} : CStringGetTextDatum(fact.advice));
    row.put(rows);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_stat_shard);
PG_FUNCTION_INFO_V1(idgen_stat_backend);
PG_FUNCTION_INFO_V1(idgen_stat_database);
PG_FUNCTION_INFO_V1(idgen_stat_lease);
PG_FUNCTION_INFO_V1(idgen_stat_registry);
PG_FUNCTION_INFO_V1(idgen_status);
PG_FUNCTION_INFO_V1(idgen_reset_stats);

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

Datum idgen_stat_lease(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    LeaseSurvey leases = survey_leases(shared_state());
    for (uint32 i = 0; i < leases.count; i++) put_number(rows, leases.numbers[i]);
    return Datum{0};
}

Datum idgen_stat_registry(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    LeaseSurvey leases = survey_leases(shared_state());
    if (leases.has_registry) put_registry(rows, leases);
    return Datum{0};
}

Datum idgen_status(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    Survey survey = take_survey();
    for (auto fact : facts) put_fact(rows, fact(survey));
    return Datum{0};
}

Datum idgen_reset_stats(PG_FUNCTION_ARGS) {
    reset_tallies(shared_state());
    PG_RETURN_VOID();
}

}  // extern "C"

}  // namespace idgen::pg
