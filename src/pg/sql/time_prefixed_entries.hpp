// The C functions of a time-prefixed type, all but its maker: TIME_PREFIXED_ENTRIES(ulid, Ulid), within
// extern "C", defines idgen_ulid_in and the rest, over the templates of pg/sql/time_prefixed_face.hpp. A
// macro, because the server calls each by a name of its own and wants a record beside it.
#pragma once

#include "pg/sql/time_prefixed_face.hpp"

#define TIME_PREFIXED_ENTRY(type, name, result)     \
    PG_FUNCTION_INFO_V1(idgen_##type##_##name);     \
    Datum idgen_##type##_##name(PG_FUNCTION_ARGS) { \
        return result;                              \
    }

#define TIME_PREFIXED_ENTRIES(type, Type)                                                   \
    TIME_PREFIXED_ENTRY(type, in, (prefixed_in<Type, type##_form>(fcinfo)))                 \
    TIME_PREFIXED_ENTRY(type, out, prefixed_out<Type>(fcinfo))                              \
    TIME_PREFIXED_ENTRY(type, recv, prefixed_recv<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, to_bytea, prefixed_to_bytea<Type>(fcinfo))                    \
    TIME_PREFIXED_ENTRY(type, from_bytea, (prefixed_from_bytea<Type, type##_form>(fcinfo))) \
    TIME_PREFIXED_ENTRY(type, lt, BoolGetDatum(compare_arguments<Type>(fcinfo) < 0))        \
    TIME_PREFIXED_ENTRY(type, le, BoolGetDatum(compare_arguments<Type>(fcinfo) <= 0))       \
    TIME_PREFIXED_ENTRY(type, eq, BoolGetDatum(compare_arguments<Type>(fcinfo) == 0))       \
    TIME_PREFIXED_ENTRY(type, ne, BoolGetDatum(compare_arguments<Type>(fcinfo) != 0))       \
    TIME_PREFIXED_ENTRY(type, ge, BoolGetDatum(compare_arguments<Type>(fcinfo) >= 0))       \
    TIME_PREFIXED_ENTRY(type, gt, BoolGetDatum(compare_arguments<Type>(fcinfo) > 0))        \
    TIME_PREFIXED_ENTRY(type, cmp, Int32GetDatum(compare_arguments<Type>(fcinfo)))          \
    TIME_PREFIXED_ENTRY(type, larger, prefixed_larger<Type>(fcinfo))                        \
    TIME_PREFIXED_ENTRY(type, smaller, prefixed_smaller<Type>(fcinfo))                      \
    TIME_PREFIXED_ENTRY(type, hash, prefixed_hash<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, hash_extended, prefixed_hash_extended<Type>(fcinfo))          \
    TIME_PREFIXED_ENTRY(type, sortsupport, prefixed_sortsupport<Type>(fcinfo))              \
    TIME_PREFIXED_ENTRY(type, time, prefixed_time<Type>(fcinfo))                            \
    TIME_PREFIXED_ENTRY(type, min, (prefixed_min<Type, type##_form>(fcinfo)))               \
    TIME_PREFIXED_ENTRY(type, max, (prefixed_max<Type, type##_form>(fcinfo)))               \
    TIME_PREFIXED_ENTRY(type, make, (prefixed_make<Type, type##_form>(fcinfo)))             \
    extern int require_semicolon
