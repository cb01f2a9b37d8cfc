#include "pg/report/report_arguments.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

[[noreturn]] void report_sequence_range(const Layout &layout, int64 sequence, Location at) {
    Packing p = packing_of(layout);
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("sequence %lld is out of range for layout \"%s\"", static_cast<long long>(sequence),
                       LayoutName(layout).text),
                errdetail("The layout has the sequences %u to %u.", p.sequence_first, p.sequence_last),
                errhint("Give a sequence in that range.")));
}

[[noreturn]] void report_zero(const Layout &layout, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
         errmsg("these parts give 0 in layout \"%s\"", LayoutName(layout).text), errdetail("An ID is at least 1."),
         errhint("In the first tick, give shard or sequence a number above 0.")));
}

int instants_of(const Layout &layout) {
    int64 end_ms = start_of(packing_of(layout), packing_of(layout).tick_end);
    return errdetail("The layout holds instants from %s until before %s.", instant_text(layout.epoch_ms),
                     instant_text(end_ms));
}

[[noreturn]] void report_early(const Layout &layout, TimestampTz instant, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%s is before the epoch of layout \"%s\"", timestamptz_to_str(instant), LayoutName(layout).text),
                instants_of(layout), errhint("Use a layout with an earlier epoch.")));
}

[[noreturn]] void report_late(const Layout &layout, TimestampTz instant, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%s is past the end of layout \"%s\"", timestamptz_to_str(instant), LayoutName(layout).text),
                instants_of(layout),
                errhint("Use a layout with a later epoch, a longer unit, or fewer bits below the time.")));
}

}  // namespace

void report_shard_range(const Layout &layout, int64 shard, Location at) {
    uint32 last = packing_of(layout).shard_last;
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
         errmsg("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard), LayoutName(layout).text),
         errdetail("The layout has the shards 0 to %u.", last),
         last == 0 ? errhint("The layout has no shard field: leave the shard out.")
                   : errhint("A hash becomes a shard by a modulo that is never negative, such as "
                             "(hash & 2147483647) %% %u.",
                             last + 1)));
}

void report_part(PartReason reason, const Layout &layout, int64 shard, int64 sequence, Location at) {
    switch (reason) {
        case PartReason::sequence_out_of_range:
            report_sequence_range(layout, sequence, at);
        case PartReason::id_would_be_zero:
            report_zero(layout, at);
        case PartReason::shard_out_of_range:
        case PartReason::none:
            break;
    }
    report_shard_range(layout, shard, at);
}

void report_instant(TickReason reason, const Layout &layout, TimestampTz instant, Location at) {
    switch (reason) {
        case TickReason::before_epoch:
            report_early(layout, instant, at);
        case TickReason::past_end:
        case TickReason::none:
            break;
    }
    report_late(layout, instant, at);
}

void report_infinite_instant(const char *hint, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an infinite timestamp has no ID"),
                errdetail("An ID holds a finite instant."), errhint("%s", hint)));
}

void report_wrapping_bounds(const Layout &layout, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("layout \"%s\" has no bounds in time", LayoutName(layout).text),
                errdetail("Its time wraps, so the IDs of a period are no range."),
                errhint("Compare id_time_near(id, near, layout) instead.")));
}

void report_null(const char *argument, bool has_default, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument),
                has_default ? errdetail("A null would give a null ID.") : errdetail("It has no default."),
                has_default ? errhint("Leave the argument out to use its default.") : errhint("Give a value.")));
}

void report_null_element(const char *argument, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not hold a null", argument),
                errdetail("Every element counts."), errhint("Leave the nulls out: array_remove(array, null).")));
}

void report_not_ascending(const char *argument, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must ascend", argument),
                errdetail("An element is smaller than the one before it."),
                errhint("Aggregate it in order: array_agg(value ORDER BY value).")));
}

void report_negative_count(int64 count, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("count must not be negative"),
                errdetail("It is %lld.", static_cast<long long>(count)), errhint("Ask for 0 IDs or more.")));
}

void report_array_too_large(int64 count, int64 most, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("an array cannot hold %lld IDs", static_cast<long long>(count)),
                errdetail("It holds at most %lld.", static_cast<long long>(most)),
                errhint("Use next_ids, which gives rows.")));
}

}  // namespace idgen::pg
