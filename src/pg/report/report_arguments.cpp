// Refusals of the arguments of makers and readers.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

[[noreturn]] void report_no_region(const LayoutName &name) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("layout \"%s\" has no region", name.text),
             errdetail("idgen.region is %d.", settings.region),
             errhint("Use a layout with a region, or set idgen.region to 0.")));
}

[[noreturn]] void report_region_range(const LayoutName &name, const Layout &layout) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("region %d is out of range for layout \"%s\"", settings.region, name.text),
                    errdetail("The layout has the regions 0 to %u.", mask32(layout.region_bits)),
                    errhint("Change idgen.region.")));
}

[[noreturn]] void report_other_region(const LayoutName &name, const Layout &layout, int64 shard) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("shard %lld is not in this node's region", static_cast<long long>(shard)),
             errdetail("It has the region %lld in layout \"%s\"; idgen.region is %d.",
                       static_cast<long long>(shard >> layout.shard_bits), name.text, settings.region),
             errhint("Give a shard from 0 to %u, or change idgen.region.", mask32(layout.shard_bits))));
}

[[noreturn]] void report_sequence_range(const LayoutName &name, const Layout &layout, int64 sequence) {
    Packing p = packing_of(layout);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("sequence %lld is out of range for layout \"%s\"",
                           static_cast<long long>(sequence), name.text),
                    errdetail("The layout has the sequences %u to %u.", p.sequence_first, p.sequence_last),
                    errhint("Give a sequence in that range.")));
}

[[noreturn]] void report_zero(const LayoutName &name) {
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
             errmsg("these parts give 0 in layout \"%s\"", name.text), errdetail("An ID is at least 1."),
             errhint("In the first tick, give shard or sequence a number above 0.")));
}

[[noreturn]] void report_shard_range(const LayoutName &name, const Layout &layout, int64 shard) {
    uint32 last = packing_of(layout).shard_last;
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
             errmsg("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard), name.text),
             errdetail("The layout has the shards 0 to %u.", last),
             last == 0 ? errhint("The layout has no shard field: leave the shard out.")
                       : errhint("A hash becomes a shard by a modulo that is never negative, such as "
                                 "(hash & 2147483647) %% %u.",
                                 last + 1)));
}

}  // namespace

void report_part(Reason reason, const Layout &layout, int64 value) {
    LayoutName name(layout);
    switch (reason) {
        case Reason::region_not_in_layout:
            report_no_region(name);
        case Reason::region_out_of_range:
            report_region_range(name, layout);
        case Reason::shard_not_in_region:
            report_other_region(name, layout, value);
        case Reason::sequence_out_of_range:
            report_sequence_range(name, layout, value);
        case Reason::id_would_be_zero:
            report_zero(name);
        default:
            report_shard_range(name, layout, value);
    }
}

void report_instant(Reason reason, const Layout &layout, TimestampTz at) {
    LayoutName name(layout);
    bool is_early = reason == Reason::time_before_epoch;
    int64 end_ms = start_of(packing_of(layout), packing_of(layout).tick_end);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%s is %s of layout \"%s\"", pstrdup(timestamptz_to_str(at)),
                           is_early ? "before the epoch" : "past the end", name.text),
                    errdetail("The layout holds instants from %s until before %s.",
                              instant_text(layout.epoch_ms), instant_text(end_ms)),
                    is_early ? errhint("Use a layout with an earlier epoch.")
                             : errhint("Use a layout with a later epoch, a longer unit, or fewer bits below "
                                       "the time.")));
}

void report_infinite_instant(const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an infinite timestamp has no ID"),
                    errdetail("An ID holds a finite instant."), errhint("%s", hint)));
}

void report_wrapping_bounds(const Layout &layout) {
    LayoutName name(layout);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("layout \"%s\" has no bounds in time", name.text),
                    errdetail("Its time wraps, so the IDs of a period are no range."),
                    errhint("Compare id_time_near(id, near, layout) instead.")));
}

void report_null(const char *argument, bool has_default) {
    ereport(ERROR,
            (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument),
             has_default ? errdetail("A null would give a null ID.") : errdetail("It has no default."),
             has_default ? errhint("Leave the argument out to use its default.") : errhint("Give a value.")));
}

void report_null_element(const char *argument) {
    ereport(ERROR,
            (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not hold a null", argument),
             errdetail("Every element counts."), errhint("Leave the nulls out: array_remove(array, null).")));
}

void report_not_ascending(const char *argument) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must ascend", argument),
                    errdetail("An element is smaller than the one before it."),
                    errhint("Aggregate it in order: array_agg(value ORDER BY value).")));
}

void report_negative_count(int64 count) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("count must not be negative"),
             errdetail("It is %lld.", static_cast<long long>(count)), errhint("Ask for 0 IDs or more.")));
}

void report_array_too_large(int64 count, int64 most) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("an array cannot hold %lld IDs", static_cast<long long>(count)),
                    errdetail("It holds at most %lld.", static_cast<long long>(most)),
                    errhint("Use next_ids, which gives rows.")));
}

}  // namespace idgen::pg
