// The SQL face of vector clocks: jsonb objects of node and counter. All immutable.
#include "core/kinds/vclock.hpp"
#include "pg/report/report_vclock.hpp"

namespace idgen::pg {
namespace {

// Raises where a counter is no whole number from 0 to 2^63-1.
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

// The clock of an argument, its zeros left out. Raises where it is none.
VclockArgument vclock_argument(FunctionCallInfo fcinfo, int number) {
    Jsonb *argument = PG_GETARG_JSONB_P(number);
    if (!JB_ROOT_IS_OBJECT(argument)) report_no_vclock(argument);
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
