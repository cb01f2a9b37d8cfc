// The SQL face of the time-prefixed types ulid, ksuid and objectid (kinds/core/time_prefixed.hpp): one function
// template for each C function, a macro that names them for each type, and the makers.
#include "kinds/core/rising.hpp"
#include "kinds/core/time_prefixed.hpp"
#include "kinds/pg/kinds_state.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

inline constexpr TextForm ulid_form{
    "ULID", 26, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
    "A ULID is written as 26 digits of 0-9 and A-Z without I, L, O and U, in either case, the first at most 7.",
    nullptr};
inline constexpr TextForm ksuid_form{"KSUID", 27, "aWgEPTl1tmebfsQzFP4bxwgy80V",
                                     "A KSUID is written as 27 digits of 0-9, A-Z and a-z.", nullptr};
inline constexpr TextForm objectid_form{"ObjectId", 24, "ffffffffffffffffffffffff",
                                        "An ObjectId is written as 24 hexadecimal digits, in either case.", nullptr};

template <class T>
const T &prefixed_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const T *>(PG_GETARG_POINTER(number));
}

template <class T>
Datum prefixed_datum(const T &value) {
    auto *copy = static_cast<T *>(palloc(sizeof(T)));
    *copy = value;
    return PointerGetDatum(copy);
}

// Text and binary forms

template <class T, const TextForm &form>
Datum prefixed_in(FunctionCallInfo fcinfo) {
    std::string_view text(PG_GETARG_CSTRING(0));
    T value;
    TextError error = parse(text, value);
    if (error.reason != TextReason::none) {
        report_text(form, error, text, fcinfo->context);
        PG_RETURN_NULL();
    }
    return prefixed_datum(value);
}

template <class T>
Datum prefixed_out(FunctionCallInfo fcinfo) {
    auto *text = static_cast<char *>(palloc(T::text_size + 1));
    print(prefixed_argument<T>(fcinfo, 0), text);
    text[T::text_size] = '\0';
    PG_RETURN_CSTRING(text);
}

template <class T>
Datum prefixed_recv(FunctionCallInfo fcinfo) {
    auto *message = static_cast<StringInfo>(static_cast<void *>(PG_GETARG_POINTER(0)));
    T value;
    pq_copymsgbytes(message, reinterpret_cast<char *>(value.bytes), T::size);
    return prefixed_datum(value);
}

template <class T>
Datum prefixed_to_bytea(FunctionCallInfo fcinfo) {
    auto *bytes = static_cast<bytea *>(palloc(VARHDRSZ + T::size));
    SET_VARSIZE(bytes, VARHDRSZ + T::size);
    memcpy(VARDATA(bytes), prefixed_argument<T>(fcinfo, 0).bytes, T::size);
    PG_RETURN_BYTEA_P(bytes);
}

namespace {

int times_between(int64 first_ms, int64 last_ms) {
    return errdetail("Its times are from %s to %s.", instant_text(first_ms), instant_text(last_ms));
}

}  // namespace

template <class T, const TextForm &form>
Datum prefixed_from_bytea(FunctionCallInfo fcinfo) {
    const bytea *bytes = PG_GETARG_BYTEA_PP(0);
    if (VARSIZE_ANY_EXHDR(bytes) != T::size)
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid %s: wrong size", form.name),
                errdetail("It has %zu bytes.", VARSIZE_ANY_EXHDR(bytes)), errhint("Give %zu bytes.", T::size));
    T value;
    memcpy(value.bytes, VARDATA_ANY(bytes), T::size);
    return prefixed_datum(value);
}

// Order

template <class T>
int compare_arguments(FunctionCallInfo fcinfo) {
    return compare(prefixed_argument<T>(fcinfo, 0), prefixed_argument<T>(fcinfo, 1));
}

template <class T>
Datum prefixed_larger(FunctionCallInfo fcinfo) {
    PG_RETURN_DATUM(compare_arguments<T>(fcinfo) >= 0 ? PG_GETARG_DATUM(0) : PG_GETARG_DATUM(1));
}
template <class T>
Datum prefixed_smaller(FunctionCallInfo fcinfo) {
    PG_RETURN_DATUM(compare_arguments<T>(fcinfo) <= 0 ? PG_GETARG_DATUM(0) : PG_GETARG_DATUM(1));
}

template <class T>
Datum prefixed_hash(FunctionCallInfo fcinfo) {
    return hash_any(prefixed_argument<T>(fcinfo, 0).bytes, static_cast<int>(T::size));
}
template <class T>
Datum prefixed_hash_extended(FunctionCallInfo fcinfo) {
    auto seed = static_cast<uint64>(PG_GETARG_INT64(1));
    return hash_any_extended(prefixed_argument<T>(fcinfo, 0).bytes, static_cast<int>(T::size), seed);
}

// How many abbreviated keys differ, by an estimate, while a sort reads its input.
struct AbbreviationCount {
    int64 keys;
    hyperLogLogState distinct;
};

template <class T>
int compare_datums(Datum a, Datum b, SortSupport) {
    return compare(*reinterpret_cast<const T *>(DatumGetPointer(a)), *reinterpret_cast<const T *>(DatumGetPointer(b)));
}

template <class T>
Datum abbreviate(Datum original, SortSupport sort) {
    uint64 prefix = prefix_of(*reinterpret_cast<const T *>(DatumGetPointer(original)));
    auto *count = static_cast<AbbreviationCount *>(sort->ssup_extra);
    count->keys++;
    addHyperLogLog(&count->distinct, hash_bytes_uint32(static_cast<uint32>(prefix ^ prefix >> 32)));
    return UInt64GetDatum(prefix);
}

// Sorts by abbreviated keys, until most values are seen to begin with the same eight bytes.
void begin_abbreviation(SortSupport sort);

template <class T>
Datum prefixed_sortsupport(FunctionCallInfo fcinfo) {
    auto *sort = static_cast<SortSupport>(static_cast<void *>(PG_GETARG_POINTER(0)));
    sort->comparator = compare_datums<T>;
    if (!sort->abbreviate) PG_RETURN_VOID();
    begin_abbreviation(sort);
    sort->abbrev_converter = abbreviate<T>;
    sort->abbrev_full_comparator = compare_datums<T>;
    PG_RETURN_VOID();
}

// Time

template <class T>
Datum prefixed_time(FunctionCallInfo fcinfo) {
    PG_RETURN_TIMESTAMPTZ(us_of(time_of(prefixed_argument<T>(fcinfo, 0))));
}

// The instant of an argument, unix ms. Raises on one that the type cannot hold.
template <class T, const TextForm &form>
int64 stamp_argument(FunctionCallInfo fcinfo, int number) {
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(number);
    int64 unix_ms = ms_down(finite_us(at, finite_hint));
    if (!T::holds(unix_ms))
        ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                errmsg("no %s can hold the time %s", form.name, timestamptz_to_str(at)),
                times_between(T::first_ms, T::last_ms), errhint("%s", time_between_hint));
    return unix_ms;
}

// The time of the clock. Raises if the type cannot hold it.
template <class T, const TextForm &form>
int64 stamp_of_clock() {
    int64 now_ms = recent_wall_ms();
    if (unlikely(!T::holds(now_ms)))
        ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                errmsg("no %s can hold the time of the clock, %s", form.name, instant_text(now_ms)),
                times_between(T::first_ms, T::last_ms),
                errhint("Correct the clock; if it is right, use another kind of ID."));
    return now_ms;
}

template <class T, const TextForm &form>
Datum prefixed_min(FunctionCallInfo fcinfo) {
    return prefixed_datum(filled<T>(stamp_argument<T, form>(fcinfo, 0), 0));
}
template <class T, const TextForm &form>
Datum prefixed_max(FunctionCallInfo fcinfo) {
    return prefixed_datum(filled<T>(stamp_argument<T, form>(fcinfo, 0), 0xFF));
}

template <class T, const TextForm &form>
Datum prefixed_make(FunctionCallInfo fcinfo) {
    int64 unix_ms = stamp_argument<T, form>(fcinfo, 0);
    const bytea *tail = PG_GETARG_BYTEA_PP(1);
    if (VARSIZE_ANY_EXHDR(tail) != T::tail_size)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid tail of %s: wrong size", form.name),
                errdetail("It has %zu bytes.", VARSIZE_ANY_EXHDR(tail)),
                errhint("The part after the time has %zu bytes: give that many.", T::tail_size));
    return prefixed_datum(composed<T>(unix_ms, VARDATA_ANY(tail)));
}

}  // namespace idgen::pg

// The C functions of a time-prefixed type, all but its maker: TIME_PREFIXED_ENTRIES(ulid, Ulid), within extern "C",
// defines idgen_ulid_in and the rest, over the templates. A macro, because the server calls each by a name of its own
// and wants a record beside it.

#define TIME_PREFIXED_ENTRY(type, name, result)     \
    PG_FUNCTION_INFO_V1(idgen_##type##_##name);     \
    Datum idgen_##type##_##name(PG_FUNCTION_ARGS) { \
        return result;                              \
    }

#define TIME_PREFIXED_ENTRIES(type, Type)                                                   \
    TIME_PREFIXED_ENTRY(type, in, (prefixed_in<Type, type##_form>(fcinfo)))                 \
    TIME_PREFIXED_ENTRY(type, out, prefixed_out<Type>(fcinfo))                              \
    TIME_PREFIXED_ENTRY(type, recv, prefixed_recv<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, to_bytea, prefixed_to_bytea<Type>(fcinfo))                    \
    TIME_PREFIXED_ENTRY(type, from_bytea, (prefixed_from_bytea<Type, type##_form>(fcinfo))) \
    TIME_PREFIXED_ENTRY(type, lt, BoolGetDatum(compare_arguments<Type>(fcinfo) < 0))        \
    TIME_PREFIXED_ENTRY(type, le, BoolGetDatum(compare_arguments<Type>(fcinfo) <= 0))       \
    TIME_PREFIXED_ENTRY(type, eq, BoolGetDatum(compare_arguments<Type>(fcinfo) == 0))       \
    TIME_PREFIXED_ENTRY(type, ne, BoolGetDatum(compare_arguments<Type>(fcinfo) != 0))       \
    TIME_PREFIXED_ENTRY(type, ge, BoolGetDatum(compare_arguments<Type>(fcinfo) >= 0))       \
    TIME_PREFIXED_ENTRY(type, gt, BoolGetDatum(compare_arguments<Type>(fcinfo) > 0))        \
    TIME_PREFIXED_ENTRY(type, cmp, Int32GetDatum(compare_arguments<Type>(fcinfo)))          \
    TIME_PREFIXED_ENTRY(type, larger, prefixed_larger<Type>(fcinfo))                        \
    TIME_PREFIXED_ENTRY(type, smaller, prefixed_smaller<Type>(fcinfo))                      \
    TIME_PREFIXED_ENTRY(type, hash, prefixed_hash<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, hash_extended, prefixed_hash_extended<Type>(fcinfo))          \
    TIME_PREFIXED_ENTRY(type, sortsupport, prefixed_sortsupport<Type>(fcinfo))              \
    TIME_PREFIXED_ENTRY(type, time, prefixed_time<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, min, (prefixed_min<Type, type##_form>(fcinfo)))               \
    TIME_PREFIXED_ENTRY(type, max, (prefixed_max<Type, type##_form>(fcinfo)))               \
    TIME_PREFIXED_ENTRY(type, make, (prefixed_make<Type, type##_form>(fcinfo)))             \
    extern int require_semicolon

namespace idgen::pg {

namespace {

// Registers for the estimate: 2^10, an error of about 3 %.
constexpr uint8 register_bits = 10;

// Below that many values a sort is short either way.
constexpr int fewest_values = 10000;

// With less than one distinct key in that many values, most comparisons need the whole value.
constexpr double most_values_per_key = 16;

bool is_abbreviation_useless(int values, SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(sort->ssup_extra);
    if (values < fewest_values || count->keys < fewest_values) return false;
    double distinct = estimateHyperLogLog(&count->distinct);
    return distinct * most_values_per_key < static_cast<double>(count->keys);
}

}  // namespace

void begin_abbreviation(SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(MemoryContextAllocZero(sort->ssup_cxt, sizeof(AbbreviationCount)));
    MemoryContext caller = MemoryContextSwitchTo(sort->ssup_cxt);
    initHyperLogLog(&count->distinct, register_bits);
    MemoryContextSwitchTo(caller);
    sort->ssup_extra = count;
    sort->comparator = ssup_datum_unsigned_cmp;
    sort->abbrev_abort = is_abbreviation_useless;
}

// The SQL face of the type ulid.

namespace {

// The random part of a ULID, and the machine in which it was fetched.
struct RandomTail {
    uint8 bytes[Ulid::tail_size];
    uint64 machine;
};

// In a machine that was copied the order goes on in the next millisecond, from a random start: each copy has the last
// one.
[[gnu::noinline, gnu::cold]] void begin_in_machine(SharedOrder<Ulid> &order, const RandomTail &random) noexcept
    IDGEN_LOCKS(requires_capability(order.mutex)) {
    if (time_of(order.last) != 0) order.last = composed<Ulid>(time_of(order.last) + 1, random.bytes);
    order.machine = random.machine;
}

// The next ULID of the server, or false; see kinds/core/time_prefixed.hpp and kinds/core/rising.hpp.
bool next_in_order(SharedOrder<Ulid> &order, Reading &reading, const RandomTail &random, Ulid &next) noexcept {
    int64 allowed_ms = allowed_back_ms(settings.max_lead_ms);
    Guard<SpinLock> guard(order.mutex);
    if (unlikely(order.machine != random.machine)) begin_in_machine(order, random);
    reading = settle_reading(time_of(order.last), reading.now, allowed_ms, wall_ms);
    if (unlikely(reading.behind > 0)) order.last = Ulid{};
    bool is_next = step_up(order.last, reading.now, random.bytes);
    next = order.last;
    return is_next;
}

}  // namespace

extern "C" {

TIME_PREFIXED_ENTRIES(ulid, Ulid);
PG_FUNCTION_INFO_V1(idgen_next_ulid);

Datum idgen_next_ulid(PG_FUNCTION_ARGS) {
    RandomTail random;
    random.machine = fill_random(random.bytes, sizeof(random.bytes));
    SharedOrder<Ulid> &order = shared_kinds().ulid;
    Reading reading{recent_wall_ms(), 0};
    Ulid next;
    bool is_next = next_in_order(order, reading, random, next);
    if (!is_next)
        ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                errmsg("no ULID is left in the millisecond of %s", instant_text(time_of(next))),
                errdetail("ULIDs of one millisecond rise by 1 from a random start, and the largest was reached."),
                errhint("Try again in the next millisecond."));
    mark_own_transaction(random.machine);
    if (unlikely(reading.behind > 0)) log_new_order(order.log_budget, "ULIDs", reading.now, reading.behind);
    return prefixed_datum(next);
}

}  // extern "C"

// It is the one whose text this library reads.
bool is_ulid_type(Oid type) {
    if (!OidIsValid(type)) return false;
    Oid input, parameter;
    getTypeInputInfo(type, &input, &parameter);
    FmgrInfo function;
    fmgr_info(input, &function);
    return function.fn_addr == idgen_ulid_in;
}

// The SQL face of the type ksuid.

extern "C" {

TIME_PREFIXED_ENTRIES(ksuid, Ksuid);
PG_FUNCTION_INFO_V1(idgen_next_ksuid);

Datum idgen_next_ksuid(PG_FUNCTION_ARGS) {
    uint8 random[Ksuid::tail_size];
    mark_own_transaction(fill_random(random, sizeof(random)));
    return prefixed_datum(composed<Ksuid>(stamp_of_clock<Ksuid, ksuid_form>(), random));
}

}  // extern "C"

// The SQL face of the type objectid.

namespace {

// This process's own, begun at its first ObjectId, and again in a machine that was copied, or where its counters are used up.
struct KeptSource : ObjectIdSource {
    bool is_begun;
    uint64 machine;
};
KeptSource kept_objectid{};

void begin_source(KeptSource &source) {
    source = {};
    source.machine = machine();
    fill_random(source.tail, sizeof(source.tail));
    source.is_begun = true;
}

}  // namespace

extern "C" {

TIME_PREFIXED_ENTRIES(objectid, ObjectId);
PG_FUNCTION_INFO_V1(idgen_next_objectid);

Datum idgen_next_objectid(PG_FUNCTION_ARGS) {
    int64 stamp_ms = stamp_of_clock<ObjectId, objectid_form>();
    ObjectId next;
    while (unlikely(!kept_objectid.is_begun || !next_object_id(kept_objectid, stamp_ms, next) ||
                    kept_objectid.machine != machine()))
        begin_source(kept_objectid);
    mark_own_transaction(kept_objectid.machine);
    return prefixed_datum(next);
}

}  // extern "C"

}  // namespace idgen::pg
