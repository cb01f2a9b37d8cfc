#include "pg/report/report_vclock.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

int hint_of_vclock() {
    return errhint(
        "A vector clock is an object of nodes and counters, such as {\"paris\": 3, \"tokyo\": 12}; a new one "
        "is {}.");
}

// SQLSTATE and message.
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

}  // namespace

void report_no_vclock(Jsonb *value, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid vector clock: it is no object"),
                errdetail("It is of the type %s.",
                          TextDatumGetCString(DirectFunctionCall1(jsonb_typeof, JsonbPGetDatum(value)))),
                hint_of_vclock()));
}

void report_counter(std::string_view node, CounterProblem problem, Location at) {
    ereport_at(at, ERROR,
               (message_of(node, problem),
                errdetail("A counter is a whole number from 0 to %lld.", static_cast<long long>(PG_INT64_MAX)),
                hint_of_vclock()));
}

}  // namespace idgen::pg
