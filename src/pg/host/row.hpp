// Results that are rows.
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

}  // namespace idgen::pg
