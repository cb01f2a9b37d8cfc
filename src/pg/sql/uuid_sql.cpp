// The SQL face of UUIDs: those of version 7 made, and what others say.

#include "core/kinds/rising.hpp"
#include "core/kinds/uuid.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/entropy.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/report/report_log.hpp"
#include "pg/report/report_uuid.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

namespace {

UuidStamp stamp_of_clock() noexcept {
    Instant now = wall_instant();
    return uuid_stamp(now.ms, now.ns);
}

// The next stamp of the server, or false; see core/kinds/uuid.hpp and core/kinds/rising.hpp.
bool next_in_order(SharedOrder<UuidStamp> &order, Reading &reading, UuidStamp &next) noexcept {
    UuidStamp allowed = uuid_stamp(allowed_back_ms(settings.max_lead_ms), 0);
    Guard<SpinLock> guard(order.mutex);
    reading = settle_reading(order.last, reading.now, allowed, stamp_of_clock);
    if (unlikely(reading.behind > 0)) order.last = 0;
    bool is_next = advance(order.last, reading.now);
    next = order.last;
    return is_next;
}

// The instant of an argument, unix ms. Raises on one that a UUID cannot hold.
int64 stamp_argument(FunctionCallInfo fcinfo, int number) {
    TimestampTz at = PG_GETARG_TIMESTAMPTZ(number);
    int64 unix_ms = finite_ms(at, finite_hint);
    if (!uuid_holds(unix_ms)) report_uuid_stamp(at);
    return unix_ms;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_uuidv7);
PG_FUNCTION_INFO_V1(idgen_uuid_time);
PG_FUNCTION_INFO_V1(idgen_uuid_version_number);
PG_FUNCTION_INFO_V1(idgen_uuidv7_make);
PG_FUNCTION_INFO_V1(idgen_uuidv7_min);
PG_FUNCTION_INFO_V1(idgen_uuidv7_max);

Datum idgen_next_uuidv7(PG_FUNCTION_ARGS) {
    uint64 random;
    fill_random(&random, sizeof(random));
    SharedState *state = shared_state();
    Reading reading{stamp_of_clock(), 0};
    UuidStamp next;
    if (!next_in_order(state->uuid_order, reading, next)) report_no_uuid();
    if (unlikely(reading.behind > 0) && may_log(state, Cause::uuid_order))
        log_order_anew("UUIDs of version 7", uuid_stamp_ms(reading.now), uuid_stamp_ms(reading.behind));
    return uuid_datum(uuidv7_of(next, random));
}

Datum idgen_uuid_time(PG_FUNCTION_ARGS) {
    int64 unix_us = 0;
    if (!uuid_time_us(uuid_argument(fcinfo, 0), unix_us)) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(unix_us - pg_epoch_unix_ms * 1000);
}

Datum idgen_uuid_version_number(PG_FUNCTION_ARGS) {
    int version = uuid_version(uuid_argument(fcinfo, 0));
    if (version < 0) PG_RETURN_NULL();
    PG_RETURN_INT32(version);
}

Datum idgen_uuidv7_make(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "at");
    int64 unix_ms = stamp_argument(fcinfo, 0);
    auto us = static_cast<int32>(PG_GETARG_TIMESTAMPTZ(0) - to_timestamptz(unix_ms));
    uint64 random;
    fill_random(&random, sizeof(random));
    return uuid_datum(uuidv7_of(uuid_stamp(unix_ms, us * 1000), random));
}

Datum idgen_uuidv7_min(PG_FUNCTION_ARGS) {
    return uuid_datum(uuidv7_min(stamp_argument(fcinfo, 0)));
}
Datum idgen_uuidv7_max(PG_FUNCTION_ARGS) {
    return uuid_datum(uuidv7_max(stamp_argument(fcinfo, 0)));
}

}  // extern "C"

// The SQL face of an ID inside a UUID. Immutable.

extern "C" {

PG_FUNCTION_INFO_V1(idgen_to_uuid);
PG_FUNCTION_INFO_V1(idgen_from_uuid);

Datum idgen_to_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    int64 id = PG_GETARG_INT64(0);
    Uuid uuid;
    IdReason reason = uuid_from_id(packing_of(layout), id, uuid);
    if (reason != IdReason::none) report_id_for_uuid(reason, layout, id);
    return uuid_datum(uuid);
}

Datum idgen_from_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const Uuid &uuid = uuid_argument(fcinfo, 0);
    int64 id = 0;
    UuidReason reason = id_from_uuid(packing_of(layout), uuid, id);
    if (reason != UuidReason::none) report_uuid(reason, layout, uuid, id);
    PG_RETURN_INT64(id);
}

}  // extern "C"

}  // namespace idgen::pg
