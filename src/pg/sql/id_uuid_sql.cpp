// The SQL face of an ID inside a UUID. Immutable.
#include "core/kinds/uuid.hpp"
#include "pg/report/report_uuid.hpp"
#include "pg/sql/uuid_argument.hpp"

namespace idgen::pg {

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
