#include "pg/report/report_arguments.hpp"

#include "pg/report/words.hpp"

namespace idgen::pg {
namespace {

const char *instants_of(const Layout &layout) {
    char *end = pstrdup(timestamptz_to_str(start_of(packing_of(layout), packing_of(layout).tick_end)));
    return psprintf("The layout holds instants from %s until before %s.", instant_text(layout.epoch_ms), end);
}

// A shard that is negative or of seven digits is likely a hash.
const char *hint_of_range(int64 shard, uint32 last) {
    constexpr int64 largest_likely = 999999;
    if (last == 0) return "The layout has no shard field: leave the shard out, or give 0.";
    if (shard >= 0 && shard <= largest_likely)
        return psprintf("Give a shard from 0 to %u, or a layout with more shards.", last);
    return psprintf(
        "Give a shard from 0 to %u. A hash becomes one by a modulo that is never negative, such as (hash & 2147483647) %% %u.",
        last, last + 1);
}

}  // namespace

Refusal refusal_of_shard(const Layout &layout, int64 shard) {
    uint32 last = packing_of(layout).shard_last;
    return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
            psprintf("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard),
                     LayoutName(layout).text),
            psprintf("The layout has the shards 0 to %u.", last), hint_of_range(shard, last), "shards"};
}

Refusal refusal_of_instant(TickReason reason, const Layout &layout, TimestampTz instant) {
    const char *text = timestamptz_to_str(instant);
    LayoutName name(layout);
    if (reason == TickReason::before_epoch)
        return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
                psprintf("%s is before the epoch of layout \"%s\"", text, name.text), instants_of(layout),
                "Use a layout with an earlier epoch.", "layout"};
    return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, psprintf("%s is past the end of layout \"%s\"", text, name.text),
            instants_of(layout), "Use a layout with a later epoch, a longer unit, or fewer bits below the time.",
            "layout"};
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

Refusal refusal_of_hlc_time(int64 unix_ms, int64 last_ms) {
    return {
        ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, psprintf("no HLC timestamp can hold the time %s", instant_text(unix_ms)),
        psprintf("Its times are from %s to %s.", instant_text(0), instant_text(last_ms)), time_between_hint, "clock"};
}

}  // namespace idgen::pg
