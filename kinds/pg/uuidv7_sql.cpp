// The SQL face of UUIDs of version 7.

#include "kinds/core/uuidv7.hpp"
#include "kinds/pg/kinds_state.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

UuidStamp stamp_of_clock() noexcept {
    Instant now = wall_instant();
    return uuid_stamp(now.ms, now.ns);
}

// The next stamp of the server; see kinds/core/uuidv7.hpp. Waits where others have counted too far ahead of the clock.
UuidStep next_in_order(SharedOrder<LastUuid> &order, Reading &reading, UuidStamp &next) {
    UuidStamp allowed = uuid_stamp(allowed_back_ms(settings.max_lead_ms), 0);
    for (;; sleep_us(1000)) {
        reading = {stamp_of_clock(), 0};
        Guard<SpinLock> guard(order.mutex);
        UuidStep step = next_stamp(order.last, reading, allowed, stamp_of_clock);
        next = order.last.stamp;
        if (likely(step != UuidStep::too_far)) return step;
    }
}

// The instant of an argument, unix ms. Raises on one that a UUID cannot hold.
int64 stamp_argument(FunctionCallInfo fcinfo, int number) {
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(number);
    int64 unix_ms = ms_down(finite_us(at, finite_hint));
    if (!uuid_holds(unix_ms))
        ereport(ERROR, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                errmsg("no UUID of version 7 can hold the time %s", timestamptz_to_str(at)),
                errdetail("Its times are from %s to %s.", instant_text(0), instant_text(uuid_last_ms)),
                errhint("%s", time_between_hint));
    return unix_ms;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_uuidv7);
PG_FUNCTION_INFO_V1(idgen_uuidv7_make);
PG_FUNCTION_INFO_V1(idgen_uuidv7_min);
PG_FUNCTION_INFO_V1(idgen_uuidv7_max);

Datum idgen_next_uuidv7(PG_FUNCTION_ARGS) {
    SharedOrder<LastUuid> &order = shared_kinds().uuidv7;
    Reading reading;
    UuidStamp next;
    if (next_in_order(order, reading, next) == UuidStep::end)
        ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no UUID of version 7 is left"),
                errdetail("The last one that this server made, or its clock, says %s or later.",
                          instant_text(uuid_last_ms)),
                errhint("Set the clock right, and restart the server."));
    if (unlikely(reading.behind > 0))
        log_new_order(order.log_budget, "UUIDs of version 7", uuid_stamp_ms(reading.now),
                      uuid_stamp_ms(reading.behind));
    // Last, because the machine may have been copied while the call waited.
    uint64 random;
    mark_own_transaction(fill_random(&random, sizeof(random)));
    return copy_datum(uuidv7_of(next, random));
}

Datum idgen_uuidv7_make(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "at");
    int64 unix_ms = stamp_argument(fcinfo, 0);
    auto us = static_cast<int32>(PG_GETARG_TIMESTAMPTZ(0) - us_of(unix_ms));
    uint64 random;
    mark_own_transaction(fill_random(&random, sizeof(random)));
    return copy_datum(uuidv7_of(uuid_stamp(unix_ms, us * 1000), random));
}

Datum idgen_uuidv7_min(PG_FUNCTION_ARGS) {
    return copy_datum(uuidv7_min(stamp_argument(fcinfo, 0)));
}
Datum idgen_uuidv7_max(PG_FUNCTION_ARGS) {
    return copy_datum(uuidv7_max(stamp_argument(fcinfo, 0)));
}

}  // extern "C"

}  // namespace idgen::pg
