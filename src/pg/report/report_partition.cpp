#include "pg/report/report_partition.hpp"

namespace idgen::pg {
namespace {

int detail_of(StepReason reason) {
    switch (reason) {
        case StepReason::not_positive:
            return errdetail("A step is more than nothing.");
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

char *interval_text(const Interval *interval) {
    return DatumGetCString(DirectFunctionCall1(interval_out, PointerGetDatum(interval)));
}

}  // namespace

void report_step(StepReason reason, const Interval *step, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("\"%s\" is no step of a calendar", interval_text(step)), detail_of(reason),
                errhint("Give a number of months, of days, or of hours or minutes that divides a day: "
                        "1 month, 7 days, 6 hours.")));
}

void report_reversed_period(TimestampTz from, TimestampTz to, Location at) {
    char *start = pstrdup(timestamptz_to_str(from));
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("\"from\" must be before \"to\""),
                errdetail("They are %s and %s.", start, timestamptz_to_str(to)),
                errhint("Give the start of the first partition first.")));
}

void report_too_many_partitions(int64 count, int64 most, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%lld partitions are too many", static_cast<long long>(count)),
         errdetail("At most %lld are given at once; planning suffers from a few thousand on.",
                   static_cast<long long>(most)),
         errhint("Give a longer step or a shorter time.")));
}

}  // namespace idgen::pg
