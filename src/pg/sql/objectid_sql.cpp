// The SQL face of the type objectid.
#include "core/kinds/objectid.hpp"

#include "pg/host/entropy.hpp"
#include "pg/sql/stamped_face.hpp"

namespace idgen::pg {
namespace {

constexpr const TextForm &form = objectid_form;

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

PG_FUNCTION_INFO_V1(idgen_objectid_in);
PG_FUNCTION_INFO_V1(idgen_objectid_out);
PG_FUNCTION_INFO_V1(idgen_objectid_recv);
PG_FUNCTION_INFO_V1(idgen_objectid_to_bytea);
PG_FUNCTION_INFO_V1(idgen_objectid_from_bytea);
PG_FUNCTION_INFO_V1(idgen_objectid_lt);
PG_FUNCTION_INFO_V1(idgen_objectid_le);
PG_FUNCTION_INFO_V1(idgen_objectid_eq);
PG_FUNCTION_INFO_V1(idgen_objectid_ne);
PG_FUNCTION_INFO_V1(idgen_objectid_ge);
PG_FUNCTION_INFO_V1(idgen_objectid_gt);
PG_FUNCTION_INFO_V1(idgen_objectid_cmp);
PG_FUNCTION_INFO_V1(idgen_objectid_larger);
PG_FUNCTION_INFO_V1(idgen_objectid_smaller);
PG_FUNCTION_INFO_V1(idgen_objectid_hash);
PG_FUNCTION_INFO_V1(idgen_objectid_hash_extended);
PG_FUNCTION_INFO_V1(idgen_objectid_sortsupport);
PG_FUNCTION_INFO_V1(idgen_objectid_time);
PG_FUNCTION_INFO_V1(idgen_objectid_min);
PG_FUNCTION_INFO_V1(idgen_objectid_max);
PG_FUNCTION_INFO_V1(idgen_objectid_make);
PG_FUNCTION_INFO_V1(idgen_next_objectid);

Datum idgen_objectid_in(PG_FUNCTION_ARGS) {
    return stamped_in<ObjectId, form>(fcinfo);
}
Datum idgen_objectid_out(PG_FUNCTION_ARGS) {
    return stamped_out<ObjectId>(fcinfo);
}
Datum idgen_objectid_recv(PG_FUNCTION_ARGS) {
    return stamped_recv<ObjectId>(fcinfo);
}
Datum idgen_objectid_to_bytea(PG_FUNCTION_ARGS) {
    return stamped_to_bytea<ObjectId>(fcinfo);
}
Datum idgen_objectid_from_bytea(PG_FUNCTION_ARGS) {
    return stamped_from_bytea<ObjectId, form>(fcinfo);
}
Datum idgen_objectid_lt(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) < 0);
}
Datum idgen_objectid_le(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) <= 0);
}
Datum idgen_objectid_eq(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) == 0);
}
Datum idgen_objectid_ne(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) != 0);
}
Datum idgen_objectid_ge(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) >= 0);
}
Datum idgen_objectid_gt(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<ObjectId>(fcinfo) > 0);
}
Datum idgen_objectid_cmp(PG_FUNCTION_ARGS) {
    return Int32GetDatum(compare_arguments<ObjectId>(fcinfo));
}
Datum idgen_objectid_larger(PG_FUNCTION_ARGS) {
    return stamped_larger<ObjectId>(fcinfo);
}
Datum idgen_objectid_smaller(PG_FUNCTION_ARGS) {
    return stamped_smaller<ObjectId>(fcinfo);
}
Datum idgen_objectid_hash(PG_FUNCTION_ARGS) {
    return stamped_hash<ObjectId>(fcinfo);
}
Datum idgen_objectid_hash_extended(PG_FUNCTION_ARGS) {
    return stamped_hash_extended<ObjectId>(fcinfo);
}
Datum idgen_objectid_sortsupport(PG_FUNCTION_ARGS) {
    return stamped_sortsupport<ObjectId>(fcinfo);
}
Datum idgen_objectid_time(PG_FUNCTION_ARGS) {
    return stamped_time<ObjectId>(fcinfo);
}
Datum idgen_objectid_min(PG_FUNCTION_ARGS) {
    return stamped_min<ObjectId, form>(fcinfo);
}
Datum idgen_objectid_max(PG_FUNCTION_ARGS) {
    return stamped_max<ObjectId, form>(fcinfo);
}
Datum idgen_objectid_make(PG_FUNCTION_ARGS) {
    return stamped_make<ObjectId, form>(fcinfo);
}

Datum idgen_next_objectid(PG_FUNCTION_ARGS) {
    return stamped_datum(next_object_id(object_id_source(), stamp_of_clock<ObjectId, form>()));
}

}  // extern "C"
}  // namespace idgen::pg
