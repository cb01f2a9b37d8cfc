// The SQL face of periods: whether an ID's time lies in one, and the first and last number whose
// time does. id_within(id, p) is id >= id_within_first(p) AND id <= id_within_last(p), always:
// within_support.cpp puts the one for the other.
#include "pg/sql/period.hpp"

namespace idgen::pg {

extern "C" {

PG_FUNCTION_INFO_V1(idgen_within);
PG_FUNCTION_INFO_V1(idgen_within_first);
PG_FUNCTION_INFO_V1(idgen_within_last);

Datum idgen_within(PG_FUNCTION_ARGS) {
    IdSpan span = span_argument(fcinfo, 1, 2);
    PG_RETURN_BOOL(span.holds(PG_GETARG_INT64(0)));
}

Datum idgen_within_first(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(span_argument(fcinfo, 0, 1).first);
}

Datum idgen_within_last(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(span_argument(fcinfo, 0, 1).last);
}

}  // extern "C"
}  // namespace idgen::pg
