// The SQL face of partition bounds: the periods of a calendar in a time zone, as ranges of IDs.

#include "core/layout/calendar.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

constexpr int64 most_partitions = 10000;
constexpr int64 us_per_minute = USECS_PER_SEC * SECS_PER_MINUTE;
constexpr int64 pg_epoch_minute = year_2000_ms / 60000;
// The last local minute that a timestamp can hold.
constexpr int64 last_minute = (END_TIMESTAMP - 1) / us_per_minute + pg_epoch_minute;

// Local time in a zone, in which the server knows what its clocks said.
struct Zone {
    Datum name;

    int64 minute_at(TimestampTz instant) const {
        Datum local = DirectFunctionCall2(timestamptz_zone, name, TimestampTzGetDatum(instant));
        Timestamp at = DatumGetTimestamp(local);
        return at / us_per_minute - (at % us_per_minute < 0 ? 1 : 0) + pg_epoch_minute;
    }
    // As the server reads that local time: in a gap an hour or so later, the later of two.
    TimestampTz instant_at(int64 minute) const {
        Timestamp at = (minute - pg_epoch_minute) * us_per_minute;
        return DatumGetTimestampTz(DirectFunctionCall2(timestamp_zone, name, TimestampGetDatum(at)));
    }
};

// Consecutive periods, each from its start to the next one's; the last is the end of the one before.
struct Periods {
    int64 first;  // its number
    int64 count;
    TimestampTz *starts;
};

int detail_of(StepReason reason) {
    switch (reason) {
        case StepReason::not_positive:
            return errdetail("A step must be more than nothing.");
        case StepReason::of_two_units:
            return errdetail("Months, days and hours have no fixed length in one another.");
        case StepReason::too_long:
            return errdetail("A step is at most 1000 years.");
        case StepReason::uneven:
        case StepReason::none:
            break;
    }
    return errdetail("Hours and minutes are whole minutes that divide a day, or whole days.");
}

Step step_argument(const Interval *interval) {
    Step step;
    StepReason reason = step_from(interval->month, interval->day, interval->time, step);
    if (reason != StepReason::none)
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("\"%s\" is not a calendar step",
                   DatumGetCString(DirectFunctionCall1(interval_out, PointerGetDatum(interval)))),
            detail_of(reason),
            errhint(
                "Give a number of months, of days, or of hours or minutes that divides a day: 1 month, 7 days, 6 hours."));
    return step;
}

// Reads the starts off the grid: from the last at or before `from` on, until one at or after `to` that the clocks of
// the zone did show.
Periods periods_between(const Step &step, const Zone &zone, TimestampTz from, TimestampTz to) {
    int64 first = period_at(step, zone.minute_at(from));
    while (zone.instant_at(start_of_period(step, first)) > from) first--;
    int64 room = period_at(step, zone.minute_at(to - 1)) - first + 1;
    if (room > most_partitions)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("%lld partitions are too many", static_cast<long long>(room)),
                errdetail("At most %lld are given at once; planning suffers from a few thousand on.",
                          static_cast<long long>(most_partitions)),
                errhint("Give a longer step or a shorter time."));
    Periods periods{first, 0, nullptr};
    // The end of the last one, and as many starts as clocks set forward can skip: less than two days.
    room += 1 + (step.unit == Step::Unit::minute ? 2880 / step.size : 2);
    periods.starts = static_cast<TimestampTz *>(palloc(static_cast<size_t>(room) * sizeof(TimestampTz)));
    for (int64 minute, at = first; periods.count < room; at++) {
        minute = Min(start_of_period(step, at), last_minute);
        TimestampTz start = zone.instant_at(minute);
        periods.starts[periods.count++] = start;
        if (start >= to && zone.minute_at(start) == minute) break;
    }
    return periods;
}

// The lowest ID of an instant that begins a period, or ends one. Raises past the layout's end.
int64 lowest_from(const Layout &layout, const Packing &p, TimestampTz at) {
    int64 tick = tick_from(p, at);
    if (TickReason reason = check_tick(p, tick); reason != TickReason::none)
        raise(refusal_of_instant(reason, layout, at));
    return lowest_id(p, tick);
}

// A helper's call, folded to a constant if its arguments are constants. Null if there is no helper.
Node *bound_call(PlannerInfo *root, Oid funcid, const char *name, Node *period, Node *layout) {
    Oid types[] = {exprType(period), exprType(layout)};
    Oid helper = find_function(get_func_namespace(funcid), name, types, lengthof(types));
    if (!OidIsValid(helper)) return nullptr;
    FuncExpr *call =
        makeFuncExpr(helper, INT8OID, list_make2(period, layout), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
    return eval_const_expressions(root, reinterpret_cast<Node *>(call));
}

// The id64 that an argument was cast from; otherwise the argument itself.
Node *uncast(Oid funcid, Node *id) {
    if (!IsA(id, RelabelType)) return id;
    Oid id64 = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("id64"),
                               ObjectIdGetDatum(get_func_namespace(funcid)));
    auto *source = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(id)->arg);
    if (!OidIsValid(id64) || getBaseType(exprType(source)) != id64) return id;
    if (exprType(source) == id64) return source;
    return reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(source), id64, -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

// The comparison of a bigint or id64 with a bigint that a btree knows by that number.
Expr *comparison(StrategyNumber strategy, Node *left, Node *right) {
    Oid type = exprType(left);
    Oid family = type == INT8OID ? INTEGER_BTREE_FAM_OID : get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID));
    Oid op = get_opfamily_member(family, type, INT8OID, static_cast<int16>(strategy));
    Expr *clause = make_opclause(op, BOOLOID, false, reinterpret_cast<Expr *>(left), reinterpret_cast<Expr *>(right),
                                 InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

// Both comparisons for a call's arguments; NIL if they cannot be made.
List *comparisons(PlannerInfo *root, Oid funcid, List *args) {
    if (list_length(args) != 3) return NIL;
    Node *id = uncast(funcid, static_cast<Node *>(linitial(args)));
    auto *period = static_cast<Node *>(lsecond(args));
    auto *layout = static_cast<Node *>(lthird(args));
    Node *first = bound_call(root, funcid, "id_within_first", period, layout);
    Node *last = bound_call(root, funcid, "id_within_last", period, layout);
    if (first == nullptr || last == nullptr) return NIL;
    return list_make2(comparison(BTGreaterEqualStrategyNumber, id, first),
                      comparison(BTLessEqualStrategyNumber, id, last));
}

// The comparisons instead of the call. Null if an argument must not be evaluated twice.
Node *simplify(const SupportRequestSimplify &request) {
    auto *args = reinterpret_cast<Node *>(request.fcall->args);
    if (contain_volatile_functions(args) || contain_subplans(args)) return nullptr;
    List *clauses = comparisons(request.root, request.fcall->funcid, request.fcall->args);
    return clauses == NIL ? nullptr : reinterpret_cast<Node *>(make_ands_explicit(clauses));
}

// The comparisons as conditions on an index of the id; exact.
Node *index_condition(SupportRequestIndexCondition &request) {
    if (!is_funcclause(request.node) || request.indexarg != 0) return nullptr;
    const auto *call = reinterpret_cast<FuncExpr *>(request.node);
    List *clauses = comparisons(request.root, call->funcid, call->args);
    ListCell *cell;
    foreach (cell, clauses) {
        const auto *clause = static_cast<OpExpr *>(lfirst(cell));
        if (!op_in_opfamily(clause->opno, request.opfamily) ||
            !is_pseudo_constant_for_index(request.root, static_cast<Node *>(lsecond(clause->args)), request.index))
            return nullptr;
    }
    request.lossy = false;
    return reinterpret_cast<Node *>(clauses);
}

// The share of rows that both comparisons leave. Null if there are none.
Node *selectivity(SupportRequestSelectivity &request) {
    List *clauses = comparisons(request.root, request.funcid, request.args);
    if (clauses == NIL) return nullptr;
    request.selectivity =
        clauselist_selectivity(request.root, clauses, request.varRelid, request.jointype, request.sjinfo);
    return reinterpret_cast<Node *>(&request);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_partition_bounds);

Datum idgen_partition_bounds(PG_FUNCTION_ARGS) {
    TimestampTz from = PG_GETARG_TIMESTAMPTZ(0);
    TimestampTz to = PG_GETARG_TIMESTAMPTZ(1);
    const Layout &layout = layout_argument(fcinfo, 4);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    Step step = step_argument(PG_GETARG_INTERVAL_P(2));
    tick_argument(layout, p, from, finite_hint);
    tick_argument(layout, p, to, finite_hint);
    if (from >= to) {
        char *start = pstrdup(timestamptz_to_str(from));
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("\"from\" must be before \"to\""),
                errdetail("They are %s and %s.", start, timestamptz_to_str(to)),
                errhint("Give the start of the first partition first."));
    }

    Periods periods = periods_between(step, Zone{PG_GETARG_DATUM(3)}, from, to);
    // A start that the clocks skipped is read too late: none lies after the next.
    for (int64 i = periods.count - 2; i >= 0; i--) periods.starts[i] = Min(periods.starts[i], periods.starts[i + 1]);
    const ReturnSetInfo *result = begin_rows(fcinfo);
    for (int64 i = 0; i + 1 < periods.count && periods.starts[i] < to; i++) {
        if (periods.starts[i] == periods.starts[i + 1]) continue;
        char suffix[period_text_size];
        size_t size = print_period(step, start_of_period(step, periods.first + i), suffix);
        Datum values[] = {text_datum(suffix, size), Int64GetDatum(lowest_from(layout, p, periods.starts[i])),
                          Int64GetDatum(lowest_from(layout, p, periods.starts[i + 1]))};
        bool nulls[lengthof(values)] = {};
        tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    PG_RETURN_VOID();
}

// Whether an ID's time lies in a period, and the first and last number whose time does. id_within(id, p) is
// id >= id_within_first(p) AND id <= id_within_last(p), always: idgen_within_support() puts the one for the other.

PG_FUNCTION_INFO_V1(idgen_within);
PG_FUNCTION_INFO_V1(idgen_within_first);
PG_FUNCTION_INFO_V1(idgen_within_last);

Datum idgen_within(PG_FUNCTION_ARGS) {
    IdSpan span = span_argument(fcinfo, 1, 2);
    PG_RETURN_BOOL(span.holds(PG_GETARG_INT64(0)));
}

Datum idgen_within_first(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(span_argument(fcinfo, 0, 1).first);
}

Datum idgen_within_last(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(span_argument(fcinfo, 0, 1).last);
}

// What the planner makes of id_within(id, period, layout): two comparisons of the id,
//
//      id >= id_within_first(period, layout) AND id <= id_within_last(period, layout)
//
// the bounds being constants if period and layout are. That is the same for every id, null and negative ones too, so
// nothing is lost, nothing need be checked again, and all that the server knows of comparisons holds: indexes of every
// kind, pruning of partitions when planning or running, exclusion by constraints, partial indexes, statistics, pushing
// down to foreign servers and below security barriers. An id64 column is compared itself, not its cast to bigint, so
// that its own indexes and partitions serve. So the call is replaced (Simplify) wherever its arguments may be written
// twice. If they may not (a sub-select as the period), it stays, and the same comparisons serve as index condition
// and for the estimate.

PG_FUNCTION_INFO_V1(idgen_within_support);

Datum idgen_within_support(PG_FUNCTION_ARGS) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify(*reinterpret_cast<SupportRequestSimplify *>(request)));
    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_condition(*reinterpret_cast<SupportRequestIndexCondition *>(request)));
    if (IsA(request, SupportRequestSelectivity))
        PG_RETURN_POINTER(selectivity(*reinterpret_cast<SupportRequestSelectivity *>(request)));
    PG_RETURN_POINTER(static_cast<Node *>(nullptr));
}

}  // extern "C"
}  // namespace idgen::pg
