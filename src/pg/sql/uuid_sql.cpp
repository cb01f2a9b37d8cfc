// The SQL face of UUIDs: those of version 7 made, and what others say.

#include "core/kinds/rising.hpp"
#include "core/kinds/uuid.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/entropy.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/report/words.hpp"
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
    bool is_next = step_up(order.last, reading.now);
    next = order.last;
    return is_next;
}

const char *uuid_text(const Uuid &uuid) {
    return DatumGetCString(DirectFunctionCall1(uuid_out, PointerGetDatum(&uuid)));
}

// The time of an ID, as text.
const char *id_time_text(const Layout &layout, int64 id) {
    Packing p = packing_of(layout);
    Parts parts{};
    unpack(p, id, parts);
    return pstrdup(timestamptz_to_str(start_of(p, parts.tick)));
}

int64 largest_id(const Layout &layout) {
    Packing p = packing_of(layout);
    return highest_id(p, static_cast<int64>(p.time_mask));
}

int why_no_id(UuidReason reason, const Layout &layout, const Uuid &uuid, int64 id) {
    switch (reason) {
        case UuidReason::other_version:
            return errdetail("It is not a UUID of version 7 or 8 (RFC 9562).");
        case UuidReason::not_of_layout:
            return errdetail("It holds the number %lld; IDs of that layout lie between 0 and %lld.",
                             static_cast<long long>(id), static_cast<long long>(largest_id(layout)));
        case UuidReason::holds_no_id:
            return errdetail("The bits below its time do not hold an ID of that layout.");
        case UuidReason::has_other_time:
        case UuidReason::none:
            break;
    }
    return errdetail("It holds the number %lld, whose time in that layout is %s, beside the time %s.",
                     static_cast<long long>(id), id_time_text(layout, id), instant_text(uuid_time_ms(uuid)));
}

[[noreturn]] void report_foreign_id(const Layout &layout, int64 id) {
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%lld is not an ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
            errdetail("Its IDs lie between 0 and %lld.", static_cast<long long>(largest_id(layout))),
            errhint("%s", right_layout_hint));
}

[[noreturn]] void report_id_for_uuid(IdReason reason, const Layout &layout, int64 id) {
    switch (reason) {
        case IdReason::not_of_layout:
            report_foreign_id(layout, id);
        case IdReason::time_not_in_uuid:
        case IdReason::none:
            break;
    }
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("no UUID can hold the time of ID %lld", static_cast<long long>(id)),
            errdetail("It is %s in layout \"%s\"; a UUID of version 7 has times from %s to %s.",
                      id_time_text(layout, id), LayoutName(layout).text, instant_text(0), instant_text(uuid_last_ms)),
            errhint("Use a text form, or a layout with another epoch."));
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
    if (!next_in_order(state->uuid_order, reading, next))
        ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no UUID of version 7 is left"),
                errdetail("The last one that this server made, or its clock, says %s or later.",
                          instant_text(uuid_last_ms)),
                errhint("Set the clock right, and restart the server."));
    if (unlikely(reading.behind > 0) && may_log(state, Cause::uuid_order))
        log_new_order("UUIDs of version 7", uuid_stamp_ms(reading.now), uuid_stamp_ms(reading.behind));
    return uuid_datum(uuidv7_of(next, random));
}

Datum idgen_uuid_time(PG_FUNCTION_ARGS) {
    int64 unix_us = 0;
    if (!uuid_time_us(uuid_argument(fcinfo, 0), unix_us)) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(unix_us - year_2000_ms * 1000);
}

Datum idgen_uuid_version_number(PG_FUNCTION_ARGS) {
    int version = uuid_version(uuid_argument(fcinfo, 0));
    if (version < 0) PG_RETURN_NULL();
    PG_RETURN_INT32(version);
}

Datum idgen_uuidv7_make(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "at");
    int64 unix_ms = stamp_argument(fcinfo, 0);
    auto us = static_cast<int32>(PG_GETARG_TIMESTAMPTZ(0) - us_of(unix_ms));
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

// The SQL face of an ID inside a UUID. Immutable, but for what is random.

extern "C" {

PG_FUNCTION_INFO_V1(idgen_to_uuid);
PG_FUNCTION_INFO_V1(idgen_to_uuidv8);
PG_FUNCTION_INFO_V1(idgen_from_uuid);

Datum idgen_to_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    int64 id = PG_GETARG_INT64(0);
    Uuid uuid;
    IdReason reason = uuid_from_id(packing_of(layout), id, uuid);
    if (reason != IdReason::none) report_id_for_uuid(reason, layout, id);
    return uuid_datum(uuid);
}

Datum idgen_to_uuidv8(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    int64 id = PG_GETARG_INT64(0);
    uint64 random;
    fill_random(&random, sizeof(random));
    Uuid uuid;
    IdReason reason = uuidv8_from_id(packing_of(layout), id, random, uuid);
    if (reason != IdReason::none) report_id_for_uuid(reason, layout, id);
    return uuid_datum(uuid);
}

Datum idgen_from_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const Uuid &uuid = uuid_argument(fcinfo, 0);
    int64 id = 0;
    UuidReason reason = id_from_uuid(packing_of(layout), uuid, id);
    if (reason != UuidReason::none)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("UUID %s does not hold an ID of layout \"%s\"", uuid_text(uuid), LayoutName(layout).text),
                why_no_id(reason, layout, uuid, id),
                errhint("Give a UUID that id_to_uuid or id_to_uuidv8 made, and the same layout."));
    PG_RETURN_INT64(id);
}

}  // extern "C"

}  // namespace idgen::pg
