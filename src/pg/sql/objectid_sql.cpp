// The SQL face of the type objectid.
#include "core/kinds/time_prefixed.hpp"

#include "pg/host/entropy.hpp"
#include "pg/sql/time_prefixed_entries.hpp"

namespace idgen::pg {
namespace {

// This process's own; begun at its first ObjectId, so never before a fork.
ObjectIdSource &object_id_source() {
    static ObjectIdSource source{};
    static int owner = 0;
    if (owner != MyProcPid) {
        fill_random(source.tail, sizeof(source.tail));
        owner = MyProcPid;
    }
    return source;
}

}  // namespace

extern "C" {

TIME_PREFIXED_ENTRIES(objectid, ObjectId);
PG_FUNCTION_INFO_V1(idgen_next_objectid);

Datum idgen_next_objectid(PG_FUNCTION_ARGS) {
    return prefixed_datum(next_object_id(object_id_source(), stamp_of_clock<ObjectId, objectid_form>()));
}

}  // extern "C"
}  // namespace idgen::pg
