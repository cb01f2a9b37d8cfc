// The SQL face of the type ksuid.
#include "core/kinds/ksuid.hpp"

#include "pg/host/entropy.hpp"
#include "pg/sql/stamped_face.hpp"

namespace idgen::pg {
namespace {

constexpr const TextForm &form = ksuid_form;

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_ksuid_in);
PG_FUNCTION_INFO_V1(idgen_ksuid_out);
PG_FUNCTION_INFO_V1(idgen_ksuid_recv);
PG_FUNCTION_INFO_V1(idgen_ksuid_to_bytea);
PG_FUNCTION_INFO_V1(idgen_ksuid_from_bytea);
PG_FUNCTION_INFO_V1(idgen_ksuid_lt);
PG_FUNCTION_INFO_V1(idgen_ksuid_le);
PG_FUNCTION_INFO_V1(idgen_ksuid_eq);
PG_FUNCTION_INFO_V1(idgen_ksuid_ne);
PG_FUNCTION_INFO_V1(idgen_ksuid_ge);
PG_FUNCTION_INFO_V1(idgen_ksuid_gt);
PG_FUNCTION_INFO_V1(idgen_ksuid_cmp);
PG_FUNCTION_INFO_V1(idgen_ksuid_larger);
PG_FUNCTION_INFO_V1(idgen_ksuid_smaller);
PG_FUNCTION_INFO_V1(idgen_ksuid_hash);
PG_FUNCTION_INFO_V1(idgen_ksuid_hash_extended);
PG_FUNCTION_INFO_V1(idgen_ksuid_sortsupport);
PG_FUNCTION_INFO_V1(idgen_ksuid_time);
PG_FUNCTION_INFO_V1(idgen_ksuid_min);
PG_FUNCTION_INFO_V1(idgen_ksuid_max);
PG_FUNCTION_INFO_V1(idgen_ksuid_make);
PG_FUNCTION_INFO_V1(idgen_next_ksuid);

Datum idgen_ksuid_in(PG_FUNCTION_ARGS) {
    return stamped_in<Ksuid, form>(fcinfo);
}
Datum idgen_ksuid_out(PG_FUNCTION_ARGS) {
    return stamped_out<Ksuid>(fcinfo);
}
Datum idgen_ksuid_recv(PG_FUNCTION_ARGS) {
    return stamped_recv<Ksuid>(fcinfo);
}
Datum idgen_ksuid_to_bytea(PG_FUNCTION_ARGS) {
    return stamped_to_bytea<Ksuid>(fcinfo);
}
Datum idgen_ksuid_from_bytea(PG_FUNCTION_ARGS) {
    return stamped_from_bytea<Ksuid, form>(fcinfo);
}
Datum idgen_ksuid_lt(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) < 0);
}
Datum idgen_ksuid_le(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) <= 0);
}
Datum idgen_ksuid_eq(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) == 0);
}
Datum idgen_ksuid_ne(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) != 0);
}
Datum idgen_ksuid_ge(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) >= 0);
}
Datum idgen_ksuid_gt(PG_FUNCTION_ARGS) {
    return BoolGetDatum(compare_arguments<Ksuid>(fcinfo) > 0);
}
Datum idgen_ksuid_cmp(PG_FUNCTION_ARGS) {
    return Int32GetDatum(compare_arguments<Ksuid>(fcinfo));
}
Datum idgen_ksuid_larger(PG_FUNCTION_ARGS) {
    return stamped_larger<Ksuid>(fcinfo);
}
Datum idgen_ksuid_smaller(PG_FUNCTION_ARGS) {
    return stamped_smaller<Ksuid>(fcinfo);
}
Datum idgen_ksuid_hash(PG_FUNCTION_ARGS) {
    return stamped_hash<Ksuid>(fcinfo);
}
Datum idgen_ksuid_hash_extended(PG_FUNCTION_ARGS) {
    return stamped_hash_extended<Ksuid>(fcinfo);
}
Datum idgen_ksuid_sortsupport(PG_FUNCTION_ARGS) {
    return stamped_sortsupport<Ksuid>(fcinfo);
}
Datum idgen_ksuid_time(PG_FUNCTION_ARGS) {
    return stamped_time<Ksuid>(fcinfo);
}
Datum idgen_ksuid_min(PG_FUNCTION_ARGS) {
    return stamped_min<Ksuid, form>(fcinfo);
}
Datum idgen_ksuid_max(PG_FUNCTION_ARGS) {
    return stamped_max<Ksuid, form>(fcinfo);
}
Datum idgen_ksuid_make(PG_FUNCTION_ARGS) {
    return stamped_make<Ksuid, form>(fcinfo);
}

Datum idgen_next_ksuid(PG_FUNCTION_ARGS) {
    uint8 random[Ksuid::tail_size];
    fill_random(random, sizeof(random));
    return stamped_datum(composed<Ksuid>(stamp_of_clock<Ksuid, form>(), random));
}

}  // extern "C"
}  // namespace idgen::pg
