// Arrays of plain values: arguments, and new ones of bigints to be filled in place.
#pragma once

#include "pg/sql/arguments.hpp"

namespace idgen::pg {

// An array of that many bigints. Raises where an array cannot hold them.
inline ArrayType *make_array(int64 count) {
    constexpr int64 most = (MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / sizeof(int64);
    if (count > most) report_array_too_large(count, most);
    if (count == 0) return construct_empty_array(INT8OID);
    size_t size = ARR_OVERHEAD_NONULLS(1) + static_cast<size_t>(count) * sizeof(int64);
    auto *array = static_cast<ArrayType *>(palloc(size));
    SET_VARSIZE(array, size);
    array->ndim = 1;
    array->dataoffset = 0;
    array->elemtype = INT8OID;
    ARR_DIMS(array)[0] = static_cast<int>(count);
    ARR_LBOUND(array)[0] = 1;
    return array;
}

inline int64 *values_of(ArrayType *array) {
    return reinterpret_cast<int64 *>(ARR_DATA_PTR(array));
}

// An array argument as its values. Raises on a null in it.
template <class Value>
const Value *values_argument(FunctionCallInfo fcinfo, int number, const char *name, int64 &count) {
    require_argument(fcinfo, number, name);
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(number);
    if (array_contains_nulls(array)) report_null_element(name);
    count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    return reinterpret_cast<const Value *>(ARR_DATA_PTR(array));
}

}  // namespace idgen::pg
