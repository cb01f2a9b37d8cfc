// SQL arguments as plain values, and the checks that several functions share.
#pragma once

#include "core/layout/uuid.hpp"
#include "pg/report/report_arguments.hpp"

namespace idgen::pg {

inline const Layout &layout_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const Layout *>(PG_GETARG_POINTER(number));
}

// For functions that are not strict: raises on null in an argument without a default, naming it.
inline void require_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) report_null(name, nullptr);
}

// The instant, us. Raises on infinity.
inline int64 finite_us(TimestampTz at, const char *hint) {
    if (TIMESTAMP_NOT_FINITE(at)) report_infinite_instant(hint);
    return at;
}

// The tick of an instant. Raises on infinity and on an instant that the layout cannot hold.
inline int64 tick_argument(const Layout &layout, const Packing &p, TimestampTz at, const char *hint) {
    int64 tick = tick_of(p, finite_us(at, hint));
    if (TickReason reason = check_tick(p, tick); reason != TickReason::none)
        raise(refusal_of_instant(reason, layout, at));
    return tick;
}

// An array of that many bigints, to be filled in place. Raises if an array cannot hold them.
inline ArrayType *make_array(int64 count) {
    constexpr int64 most = (MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / sizeof(int64);
    if (count > most) report_array_too_large(count, most);
    if (count == 0) return construct_empty_array(INT8OID);
    size_t size = ARR_OVERHEAD_NONULLS(1) + static_cast<size_t>(count) * sizeof(int64);
    auto *array = static_cast<ArrayType *>(palloc(size));
    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->dataoffset = 0;
    array->elemtype = INT8OID;
    ARR_DIMS(array)[0] = static_cast<int>(count);
    ARR_LBOUND(array)[0] = 1;
    return array;
}

inline int64 *values_of(ArrayType *array) {
    return reinterpret_cast<int64 *>(ARR_DATA_PTR(array));
}

// An array argument as its values. Raises on a null in it.
template <class Value>
const Value *values_argument(FunctionCallInfo fcinfo, int number, const char *name, int64 &count) {
    require_argument(fcinfo, number, name);
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(number);
    if (array_contains_nulls(array)) report_null_element(name);
    count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    return reinterpret_cast<const Value *>(ARR_DATA_PTR(array));
}

// A bound of a period, a tstzrange: for a lower one the first us of the period, for an upper one the first after it.
inline int64 bound_us(const Packing &p, const RangeBound &bound) {
    int64 end = start_of(p, p.tick_end);
    if (bound.infinite) return bound.lower ? p.epoch_us : end;
    TimestampTz at = DatumGetTimestampTz(bound.val);
    if (TIMESTAMP_IS_NOBEGIN(at)) return p.epoch_us;
    if (TIMESTAMP_IS_NOEND(at)) return end;
    return bound.inclusive == bound.lower ? at : at + 1;
}

// The span of a period and a layout that are arguments. Raises if the layout's time wraps.
inline IdSpan span_argument(FunctionCallInfo fcinfo, int period_number, int layout_number) {
    const Layout &layout = layout_argument(fcinfo, layout_number);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    const RangeType *period = PG_GETARG_RANGE_P(period_number);
    RangeBound lower, upper;
    bool is_empty;
    range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(period)), period, &lower, &upper, &is_empty);
    return is_empty ? no_ids : span_between(p, bound_us(p, lower), bound_us(p, upper));
}

// Of a text, or of a bytea.
inline std::string_view text_argument(FunctionCallInfo fcinfo, int number) {
    const text *argument = PG_GETARG_TEXT_PP(number);
    return {VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument)};
}

inline Datum text_datum(const char *bytes, size_t size) {
    return PointerGetDatum(cstring_to_text_with_len(bytes, static_cast<int>(size)));
}

static_assert(sizeof(Uuid) == UUID_LEN, "a uuid of the server is a uuid of the core");

inline const Uuid &uuid_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const Uuid *>(PG_GETARG_POINTER(number));
}

// Reads it as the server does; raises as it does.
inline Uuid uuid_from_text(char *text) {
    Datum read = DirectFunctionCall1(uuid_in, CStringGetDatum(text));
    return *reinterpret_cast<const Uuid *>(DatumGetPointer(read));
}

// A copy of a value of a type that is passed by reference.
template <class Value>
Datum copy_datum(const Value &value) {
    auto *copy = static_cast<Value *>(palloc(sizeof(Value)));
    *copy = value;
    return PointerGetDatum(copy);
}

// A function of a schema; invalid if there is none.
inline Oid find_function(Oid schema, const char *name, const Oid *types, int count) {
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                           PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));
}

// The row type of a function's result, looked up once for each call site.
inline TupleDesc result_row(FunctionCallInfo fcinfo) {
    if (fcinfo->flinfo->fn_extra == nullptr) {
        MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
        TupleDesc desc;
        get_call_result_type(fcinfo, nullptr, &desc);
        fcinfo->flinfo->fn_extra = BlessTupleDesc(desc);
        MemoryContextSwitchTo(caller);
    }
    return static_cast<TupleDesc>(fcinfo->flinfo->fn_extra);
}

}  // namespace idgen::pg
