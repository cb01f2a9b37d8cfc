// The SQL face of vector clocks: jsonb objects of node and counter. All immutable.
#include <string_view>
#include "kinds/core/vclock.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {
namespace {

int hint_of_vclock() {
    return errhint(
        "A vector clock is an object of nodes and counters, such as {\"paris\": 3, \"tokyo\": 12}; a new one is {}.");
}

// SQLSTATE and message.
enum class CounterProblem { no_number, not_whole, negative, too_large, at_end };

int message_of(std::string_view node, CounterProblem problem) {
    const char *name = clip_text(node);
    switch (problem) {
        case CounterProblem::no_number:
            errmsg("the counter of \"%s\" in a vector clock is not a number", name);
            return errcode(ERRCODE_INVALID_PARAMETER_VALUE);
        case CounterProblem::not_whole:
            errmsg("the counter of \"%s\" in a vector clock is not a whole number", name);
            return errcode(ERRCODE_INVALID_PARAMETER_VALUE);
        case CounterProblem::negative:
            errmsg("the counter of \"%s\" in a vector clock is negative", name);
            break;
        case CounterProblem::too_large:
            errmsg("the counter of \"%s\" in a vector clock is too large", name);
            break;
        case CounterProblem::at_end:
            errmsg("the counter of \"%s\" in a vector clock cannot rise any more", name);
    }
    return errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
}

[[noreturn]] void report_counter(std::string_view node, CounterProblem problem) {
    ereport(ERROR, message_of(node, problem),
            errdetail("A counter is a whole number from 0 to %lld.", static_cast<long long>(PG_INT64_MAX)),
            hint_of_vclock());
}

// Raises if a counter is not a whole number from 0 to 2^63-1.
int64 counter_of(const JsonbValue &node, const JsonbValue &value) {
    std::string_view name(node.val.string.val, static_cast<size_t>(node.val.string.len));
    if (value.type != jbvNumeric) report_counter(name, CounterProblem::no_number);
    Datum number = NumericGetDatum(value.val.numeric);
    Datum most = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
    if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, number, most)) > 0)
        report_counter(name, CounterProblem::too_large);
    if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, number, NumericGetDatum(int64_to_numeric(0)))) < 0)
        report_counter(name, CounterProblem::negative);
    int64 counter = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
    if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, number, NumericGetDatum(int64_to_numeric(counter)))) != 0)
        report_counter(name, CounterProblem::not_whole);
    return counter;
}

struct VclockArgument {
    VclockEntry *entries;  // room for one more
    size_t size;

    Vclock view() const noexcept { return {entries, size}; }
};

// The clock of an argument, its zeros left out. Raises if it is not a clock.
VclockArgument vclock_argument(FunctionCallInfo fcinfo, int number) {
    Jsonb *argument = PG_GETARG_JSONB_P(number);
    if (!JB_ROOT_IS_OBJECT(argument))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid vector clock: it is not an object"),
                errdetail("It is of the type %s.",
                          TextDatumGetCString(DirectFunctionCall1(jsonb_typeof, JsonbPGetDatum(argument)))),
                hint_of_vclock());
    VclockArgument clock{nullptr, 0};
    clock.entries = static_cast<VclockEntry *>(palloc((JB_ROOT_COUNT(argument) + 1) * sizeof(VclockEntry)));
    JsonbIterator *iterator = JsonbIteratorInit(&argument->root);
    JsonbValue node, value;
    JsonbIteratorNext(&iterator, &node, true);
    while (JsonbIteratorNext(&iterator, &node, true) == WJB_KEY) {
        JsonbIteratorNext(&iterator, &value, true);
        int64 counter = counter_of(node, value);
        std::string_view name(node.val.string.val, static_cast<size_t>(node.val.string.len));
        if (counter > 0) clock.entries[clock.size++] = {name, counter};
    }
    return clock;
}

Datum vclock_datum(const Vclock &clock) {
    JsonbMaker made;
    made.push(WJB_BEGIN_OBJECT, nullptr);
    for (size_t i = 0; i < clock.size; i++) {
        const VclockEntry &entry = clock.entries[i];
        JsonbValue node, value;
        node.type = jbvString;
        node.val.string.val = const_cast<char *>(entry.node.data());
        node.val.string.len = static_cast<int>(entry.node.size());
        value.type = jbvNumeric;
        value.val.numeric = int64_to_numeric(entry.counter);
        made.push(WJB_KEY, &node);
        made.push(WJB_VALUE, &value);
    }
    made.push(WJB_END_OBJECT, nullptr);
    return JsonbPGetDatum(made.made());
}

// In the order of VclockOrder.
constexpr const char *order_words[] = {"equal", "before", "after", "concurrent"};
static_assert(lengthof(order_words) == static_cast<size_t>(VclockOrder::concurrent) + 1, "a word for each");

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_vclock_next);
PG_FUNCTION_INFO_V1(idgen_vclock_merge);
PG_FUNCTION_INFO_V1(idgen_vclock_compare);

Datum idgen_vclock_next(PG_FUNCTION_ARGS) {
    VclockArgument clock = vclock_argument(fcinfo, 0);
    const text *argument = PG_GETARG_TEXT_PP(1);
    std::string_view node(VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument));
    if (!count_write(clock.entries, clock.size, node)) report_counter(node, CounterProblem::at_end);
    return vclock_datum(clock.view());
}

Datum idgen_vclock_merge(PG_FUNCTION_ARGS) {
    VclockArgument a = vclock_argument(fcinfo, 0);
    VclockArgument b = vclock_argument(fcinfo, 1);
    auto *merged = static_cast<VclockEntry *>(palloc((a.size + b.size + 1) * sizeof(VclockEntry)));
    size_t size = merge(a.view(), b.view(), merged);
    return vclock_datum({merged, size});
}

Datum idgen_vclock_compare(PG_FUNCTION_ARGS) {
    VclockArgument a = vclock_argument(fcinfo, 0);
    VclockArgument b = vclock_argument(fcinfo, 1);
    VclockOrder order = compare(a.view(), b.view());
    PG_RETURN_TEXT_P(cstring_to_text(order_words[static_cast<int>(order)]));
}

}  // extern "C"
}  // namespace idgen::pg
