#include "pg/report/report_arguments.hpp"

#include "core/kinds/hlc.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {
namespace {

int instants_of(const Layout &layout) {
    char *end = pstrdup(timestamptz_to_str(start_of(packing_of(layout), packing_of(layout).tick_end)));
    return errdetail("The layout holds instants from %s until before %s.", instant_text(layout.epoch_ms), end);
}

// A shard that is negative or of seven digits is likely a hash.
int hint_of_range(int64 shard, uint32 last) {
    constexpr int64 largest_likely = 999999;
    if (last == 0) return errhint("The layout has no shard field: leave the shard out, or give 0.");
    if (shard >= 0 && shard <= largest_likely)
        return errhint("Give a shard from 0 to %u, or a layout with more shards.", last);
    return errhint(
        "Give a shard from 0 to %u. A hash becomes one by a modulo that is never negative, such as (hash & 2147483647) %% %u.",
        last, last + 1);
}

}  // namespace

void report_shard_range(const Layout &layout, int64 shard) {
    uint32 last = packing_of(layout).shard_last;
    ereport(
        ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
        errmsg("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard), LayoutName(layout).text),
        errdetail("The layout has the shards 0 to %u.", last), hint_of_range(shard, last));
}

void report_instant(TickReason reason, const Layout &layout, TimestampTz instant) {
    switch (reason) {
        case TickReason::before_epoch:
            ereport(
                ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%s is before the epoch of layout \"%s\"", timestamptz_to_str(instant), LayoutName(layout).text),
                instants_of(layout), errhint("Use a layout with an earlier epoch."));
        case TickReason::past_end:
        case TickReason::none:
            break;
    }
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%s is past the end of layout \"%s\"", timestamptz_to_str(instant), LayoutName(layout).text),
            instants_of(layout),
            errhint("Use a layout with a later epoch, a longer unit, or fewer bits below the time."));
}

void report_infinite_instant(const char *hint) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an infinite timestamp has no ID"),
            errdetail("An ID holds a finite instant."), errhint("%s", hint));
}

void report_wrapping_bounds(const Layout &layout) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("layout \"%s\" has no bounds in time", LayoutName(layout).text),
            errdetail("Its time wraps, so the IDs of a period are not one range."),
            errhint("Compare id_time_near(id, near, layout) instead."));
}

void report_null(const char *argument, bool has_default) {
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument),
            has_default ? errdetail("A null would give a null ID.") : errdetail("It has no default."),
            has_default ? errhint("Leave the argument out to use its default.") : errhint("Give a value."));
}

void report_null_element(const char *argument) {
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not hold a null", argument),
            errdetail("Every element counts."), errhint("Leave the nulls out: array_remove(array, null)."));
}

void report_array_too_large(int64 count, int64 most) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("an array cannot hold %lld IDs", static_cast<long long>(count)),
            errdetail("It holds at most %lld.", static_cast<long long>(most)),
            errhint("Use next_ids, which gives rows."));
}

void report_hlc_time(int64 unix_ms) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("no HLC timestamp can hold the time %s", instant_text(unix_ms)),
            errdetail("Its times are from %s to %s.", instant_text(0), instant_text(hlc_last_ms)),
            errhint("%s", time_between_hint));
}

}  // namespace idgen::pg
