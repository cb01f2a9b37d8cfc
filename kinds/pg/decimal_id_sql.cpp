// The SQL face of DecimalIds.
#include "kinds/core/decimal_id.hpp"

#include "kinds/pg/kinds_state.hpp"
#include "pg/draw/draw.hpp"
#include "pg/draw/wait.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_decimal_id);
PG_FUNCTION_INFO_V1(idgen_decimal_id_decode);

Datum idgen_next_decimal_id(PG_FUNCTION_ARGS) {
    GeneratorCount taken = draw_generator_count();
    int64 id = pack_decimal({taken.counter, taken.generator, static_cast<uint32>(decimal_launch)});
    count_made(1, id, no_slot_tag);
    PG_RETURN_INT64(id);
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
