// Refusals of partition bounds.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

const char *step_fault(Reason reason) {
    switch (reason) {
        case Reason::step_not_positive:
            return "A step is more than nothing.";
        case Reason::step_of_two_units:
            return "Months, days and hours have no fixed length in one another.";
        case Reason::step_too_long:
            return "A step is at most 1000 years.";
        default:
            return "Hours and minutes are whole minutes that divide a day, or whole days.";
    }
}

char *interval_text(const Interval *interval) {
    return DatumGetCString(DirectFunctionCall1(interval_out, PointerGetDatum(interval)));
}

}  // namespace

void report_step(Reason reason, const Interval *step) {
    ereport(
        ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
         errmsg("\"%s\" is no step of a calendar", interval_text(step)), errdetail("%s", step_fault(reason)),
         errhint("Give a number of months, of days, or of hours or minutes that divides a day: 1 month, "
                 "7 days, 6 hours.")));
}

void report_reversed_period(TimestampTz from, TimestampTz to) {
    char *start = pstrdup(timestamptz_to_str(from));
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("\"from\" must be before \"to\""),
                    errdetail("They are %s and %s.", start, timestamptz_to_str(to)),
                    errhint("Give the start of the first partition first.")));
}

void report_too_many_partitions(int64 count, int64 most) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("%lld partitions are too many", static_cast<long long>(count)),
                    errdetail("At most %lld are given at once; planning suffers from a few thousand on.",
                              static_cast<long long>(most)),
                    errhint("Give a longer step or a shorter time.")));
}

}  // namespace idgen::pg
