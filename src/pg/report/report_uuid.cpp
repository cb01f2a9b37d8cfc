#include "pg/report/report_uuid.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

const char *uuid_text(const Uuid &uuid) {
    return DatumGetCString(DirectFunctionCall1(uuid_out, PointerGetDatum(&uuid)));
}

// The time of an ID, as text.
const char *id_time_text(const Layout &layout, int64 id) {
    Packing p = packing_of(layout);
    Parts parts{};
    unpack(p, id, parts);
    return instant_text(start_of(p, parts.tick));
}

int why_no_id(UuidReason reason, const Layout &layout, const Uuid &uuid, int64 id) {
    switch (reason) {
        case UuidReason::not_version_7:
            return errdetail("It is no UUID of version 7 (RFC 9562).");
        case UuidReason::holds_no_id:
            return errdetail("Its bits below the time hold no ID of that layout.");
        case UuidReason::has_other_time:
        case UuidReason::none:
            break;
    }
    return errdetail("It holds the number %lld, whose time in that layout is %s, beside the time %s.",
                     static_cast<long long>(id), id_time_text(layout, id), instant_text(uuid_time_ms(uuid)));
}

[[noreturn]] void report_foreign_id(const Layout &layout, int64 id, Location at) {
    Packing p = packing_of(layout);
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld is no ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
                errdetail("Its IDs lie between 0 and %lld.",
                          static_cast<long long>(highest_id(p, static_cast<int64>(p.time_mask)))),
                errhint("%s", right_layout_hint)));
}

[[noreturn]] void report_id_time(const Layout &layout, int64 id, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
         errmsg("no UUID can hold the time of ID %lld", static_cast<long long>(id)),
         errdetail("It is %s in layout \"%s\"; a UUID of version 7 has times from %s to %s.", id_time_text(layout, id),
                   LayoutName(layout).text, instant_text(0), instant_text(uuid_last_ms)),
         errhint("Use a text form, or a layout with another epoch.")));
}

}  // namespace

void report_id_for_uuid(IdReason reason, const Layout &layout, int64 id, Location at) {
    switch (reason) {
        case IdReason::not_of_layout:
            report_foreign_id(layout, id, at);
        case IdReason::time_not_in_uuid:
        case IdReason::none:
            break;
    }
    report_id_time(layout, id, at);
}

void report_uuid(UuidReason reason, const Layout &layout, const Uuid &uuid, int64 id, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
         errmsg("UUID %s holds no ID of layout \"%s\"", uuid_text(uuid), LayoutName(layout).text),
         why_no_id(reason, layout, uuid, id), errhint("Give a UUID that id_to_uuid made, and the same layout.")));
}

void report_uuid_stamp(TimestampTz instant, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                errmsg("no UUID of version 7 can hold the time %s", timestamptz_to_str(instant)),
                errdetail("Its times are from %s to %s.", instant_text(0), instant_text(uuid_last_ms)),
                errhint("%s", time_between_hint)));
}

void report_no_uuid(Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no UUID of version 7 is left"),
         errdetail("The last one that this server made, or its clock, says %s or later.", instant_text(uuid_last_ms)),
         errhint("Set the clock right, and restart the server.")));
}

}  // namespace idgen::pg
