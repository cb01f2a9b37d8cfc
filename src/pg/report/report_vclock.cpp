// Refusals of vector clocks.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

constexpr const char *vclock_hint =
    "A vector clock is an object of nodes and counters, such as {\"paris\": 3, \"tokyo\": 12}; a new one is "
    "{}.";

struct CounterWords {
    int sqlstate;
    const char *problem;
};

// In the order of CounterProblem.
constexpr CounterWords counter_words[] = {
    {ERRCODE_INVALID_PARAMETER_VALUE, "is not a number"},
    {ERRCODE_INVALID_PARAMETER_VALUE, "is not a whole number"},
    {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "is negative"},
    {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "is too large"},
    {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "cannot rise any more"},
};

}  // namespace

void report_no_vclock(Jsonb *value) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid vector clock: it is no object"),
                    errdetail("It is of the type %s.",
                              TextDatumGetCString(DirectFunctionCall1(jsonb_typeof, JsonbPGetDatum(value)))),
                    errhint("%s", vclock_hint)));
}

void report_counter(std::string_view node, CounterProblem problem) {
    const CounterWords &words = counter_words[static_cast<int>(problem)];
    ereport(ERROR,
            (errcode(words.sqlstate),
             errmsg("the counter of \"%s\" in a vector clock %s", clip_text(node), words.problem),
             errdetail("A counter is a whole number from 0 to %lld.", static_cast<long long>(PG_INT64_MAX)),
             errhint("%s", vclock_hint)));
}

}  // namespace idgen::pg
