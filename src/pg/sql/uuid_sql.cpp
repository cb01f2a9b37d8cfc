// The SQL face of UUIDs: what they say, and an ID inside one. Immutable, but for what is random.

#include "pg/sql/arguments.hpp"
#include "pg/state/own_transaction.hpp"

namespace idgen::pg {
namespace {

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

[[noreturn]] void report_id_for_uuid(IdReason reason, const Layout &layout, int64 id) {
    switch (reason) {
        case IdReason::not_of_layout:
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%lld is not an ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
                    errdetail("Its IDs lie between 0 and %lld.", static_cast<long long>(largest_id(layout))),
                    errhint("%s", right_layout_hint));
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

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_uuid_time);
PG_FUNCTION_INFO_V1(idgen_uuid_version_number);
PG_FUNCTION_INFO_V1(idgen_to_uuid);
PG_FUNCTION_INFO_V1(idgen_to_uuidv8);
PG_FUNCTION_INFO_V1(idgen_from_uuid);

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

Datum idgen_to_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    int64 id = PG_GETARG_INT64(0);
    Uuid uuid;
    IdReason reason = uuid_from_id(packing_of(layout), id, uuid);
    if (reason != IdReason::none) report_id_for_uuid(reason, layout, id);
    return copy_datum(uuid);
}

Datum idgen_to_uuidv8(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    int64 id = PG_GETARG_INT64(0);
    uint64 random;
    mark_own_transaction(fill_random(&random, sizeof(random)));
    Uuid uuid;
    IdReason reason = uuidv8_from_id(packing_of(layout), id, random, uuid);
    if (reason != IdReason::none) report_id_for_uuid(reason, layout, id);
    return copy_datum(uuid);
}

Datum idgen_from_uuid(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    const Uuid &uuid = uuid_argument(fcinfo, 0);
    int64 id = 0;
    UuidReason reason = id_from_uuid(packing_of(layout), uuid, id);
    if (reason != UuidReason::none)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("UUID %s does not hold an ID of layout \"%s\"",
                       DatumGetCString(DirectFunctionCall1(uuid_out, PointerGetDatum(&uuid))), LayoutName(layout).text),
                why_no_id(reason, layout, uuid, id),
                errhint("Give a UUID that id_to_uuid or id_to_uuidv8 made, and the same layout."));
    PG_RETURN_INT64(id);
}

}  // extern "C"
}  // namespace idgen::pg
