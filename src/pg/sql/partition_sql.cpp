// The SQL face of partition bounds: the periods of a calendar in a time zone, as ranges of IDs.
#include "core/layout/calendar.hpp"
#include "pg/report/report_partition.hpp"
#include "pg/sql/period.hpp"

namespace idgen::pg {
namespace {

constexpr int64 most_partitions = 10000;
constexpr int64 us_per_minute = USECS_PER_SEC * SECS_PER_MINUTE;
constexpr int64 pg_epoch_minute = pg_epoch_unix_ms / 60000;
// The last local minute that a timestamp can hold.
constexpr int64 last_minute = (END_TIMESTAMP - 1) / us_per_minute + pg_epoch_minute;

// Local time in a zone, in which the server knows what its clocks said.
struct Zone {
    Datum name;

    int64 minute_at(TimestampTz instant) const {
        Datum local = DirectFunctionCall2(timestamptz_zone, name, TimestampTzGetDatum(instant));
        Timestamp at = DatumGetTimestamp(local);
        return at / us_per_minute - (at % us_per_minute < 0 ? 1 : 0) + pg_epoch_minute;
    }
    // As the server reads that local time: in a gap an hour or so later, the later of two.
    TimestampTz instant_at(int64 minute) const {
        Timestamp at = (minute - pg_epoch_minute) * us_per_minute;
        return DatumGetTimestampTz(DirectFunctionCall2(timestamp_zone, name, TimestampGetDatum(at)));
    }
};

// Consecutive periods, each from its start to the next one's; the last is the end of the one before.
struct Periods {
    Step step;
    int64 first;  // its number
    int64 count;
    TimestampTz *starts;
};

Step step_argument(const Interval *interval) {
    Step step;
    StepReason reason = step_from(interval->month, interval->day, interval->time, step);
    if (reason != StepReason::none) report_step(reason, interval);
    return step;
}

// Reads the starts off the grid: from the last at or before `from` on, until one at or after `to` that
// the clocks of the zone did show.
Periods periods_between(const Step &step, const Zone &zone, TimestampTz from, TimestampTz to) {
    int64 first = period_at(step, zone.minute_at(from));
    while (zone.instant_at(start_of_period(step, first)) > from) first--;
    int64 room = period_at(step, zone.minute_at(to - 1)) - first + 1;
    if (room > most_partitions) report_too_many_partitions(room, most_partitions);
    Periods periods{step, first, 0, nullptr};
    // The end of the last one, and as many starts as clocks set forward can skip: less than two days.
    room += 1 + (step.unit == Step::Unit::minute ? 2880 / step.size : 2);
    periods.starts = static_cast<TimestampTz *>(palloc(static_cast<size_t>(room) * sizeof(TimestampTz)));
    for (int64 minute, at = first; periods.count < room; at++) {
        minute = Min(start_of_period(step, at), last_minute);
        TimestampTz start = zone.instant_at(minute);
        periods.starts[periods.count++] = start;
        if (start >= to && zone.minute_at(start) == minute) break;
    }
    return periods;
}

// A start that the clocks skipped is read too late: none lies after the next.
void close_gaps(Periods &periods) {
    for (int64 i = periods.count - 2; i >= 0; i--) periods.starts[i] = Min(periods.starts[i], periods.starts[i + 1]);
}

// The lowest ID of an instant that begins a period, or ends one. Raises past the layout's end.
int64 lowest_from(const Layout &layout, const Packing &p, TimestampTz at) {
    int64 tick = tick_from(p, ms_from(at, true));
    if (TickReason reason = check_tick(p, tick); reason != TickReason::none) report_instant(reason, layout, at);
    return lowest_id(p, tick);
}

void put_row(const ReturnSetInfo *result, const Periods &periods, int64 i, int64 lower, int64 upper) {
    char suffix[period_text_size];
    size_t size = print_period(periods.step, start_of_period(periods.step, periods.first + i), suffix);
    Datum values[] = {PointerGetDatum(cstring_to_text_with_len(suffix, static_cast<int>(size))), Int64GetDatum(lower),
                      Int64GetDatum(upper)};
    bool nulls[] = {false, false, false};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_partition_bounds);

Datum idgen_partition_bounds(PG_FUNCTION_ARGS) {
    TimestampTz from = PG_GETARG_TIMESTAMPTZ(0);
    TimestampTz to = PG_GETARG_TIMESTAMPTZ(1);
    const Layout &layout = layout_argument(fcinfo, 4);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_bounds(layout);
    Step step = step_argument(PG_GETARG_INTERVAL_P(2));
    tick_argument(layout, p, from, finite_hint);
    tick_argument(layout, p, to, finite_hint);
    if (from >= to) report_reversed_period(from, to);

    Periods periods = periods_between(step, Zone{PG_GETARG_DATUM(3)}, from, to);
    close_gaps(periods);
    const ReturnSetInfo *result = begin_rows(fcinfo);
    for (int64 i = 0; i + 1 < periods.count && periods.starts[i] < to; i++) {
        if (periods.starts[i] == periods.starts[i + 1]) continue;
        put_row(result, periods, i, lowest_from(layout, p, periods.starts[i]),
                lowest_from(layout, p, periods.starts[i + 1]));
    }
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::pg
