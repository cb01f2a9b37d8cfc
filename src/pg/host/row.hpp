// Rows: the row types of results, and the columns of rows that the server stores.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// The row type of a function's result, looked up once for each call site.
inline TupleDesc result_row(FunctionCallInfo fcinfo) {
    if (fcinfo->flinfo->fn_extra == nullptr) {
        MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
        TupleDesc desc;
        get_call_result_type(fcinfo, nullptr, &desc);
        fcinfo->flinfo->fn_extra = BlessTupleDesc(desc);
        MemoryContextSwitchTo(caller);
    }
    return static_cast<TupleDesc>(fcinfo->flinfo->fn_extra);
}

// A column of a row. Not by heap_getattr(), which is inlined: as 15.20 has it, it calls a function of the
// server that 15.18 lacks.
inline Datum column_of(HeapTuple row, TupleDesc desc, int number, bool *is_null) {
    return SPI_getbinval(row, desc, number, is_null);
}

}  // namespace idgen::pg
