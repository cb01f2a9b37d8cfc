// The SQL face of DecimalIds.
#include "core/kinds/decimal_id.hpp"

#include "pg/draw/decimal_draw.hpp"
#include "pg/horizon/generators.hpp"
#include "pg/host/row.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_decimal_id);
PG_FUNCTION_INFO_V1(idgen_create_generators);
PG_FUNCTION_INFO_V1(idgen_decimal_id_decode);

Datum idgen_next_decimal_id(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(draw_decimal());
}

Datum idgen_create_generators(PG_FUNCTION_ARGS) {
    create_generators();
    PG_RETURN_VOID();
}

Datum idgen_decimal_id_decode(PG_FUNCTION_ARGS) {
    DecimalParts parts;
    if (!unpack_decimal(PG_GETARG_INT64(0), parts)) PG_RETURN_NULL();
    Datum values[] = {UInt32GetDatum(parts.counter), UInt32GetDatum(parts.generator), UInt32GetDatum(parts.launch)};
    bool nulls[] = {false, false, false};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}

}  // extern "C"
}  // namespace idgen::pg
