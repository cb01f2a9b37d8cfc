// The C functions of a stamped type, all but its maker: STAMPED_ENTRIES(ulid, Ulid), within extern "C",
// defines idgen_ulid_in and the rest, over the templates of pg/sql/stamped_face.hpp. A macro, because the
// server calls each by a name of its own and wants a record beside it.
#pragma once

#include "pg/sql/stamped_face.hpp"

#define STAMPED_ENTRY(type, name, result)           \
    PG_FUNCTION_INFO_V1(idgen_##type##_##name);     \
    Datum idgen_##type##_##name(PG_FUNCTION_ARGS) { \
        return result;                              \
    }

#define STAMPED_ENTRIES(type, Type)                                                  \
    STAMPED_ENTRY(type, in, (stamped_in<Type, type##_form>(fcinfo)))                 \
    STAMPED_ENTRY(type, out, stamped_out<Type>(fcinfo))                              \
    STAMPED_ENTRY(type, recv, stamped_recv<Type>(fcinfo))                            \
    STAMPED_ENTRY(type, to_bytea, stamped_to_bytea<Type>(fcinfo))                    \
    STAMPED_ENTRY(type, from_bytea, (stamped_from_bytea<Type, type##_form>(fcinfo))) \
    STAMPED_ENTRY(type, lt, BoolGetDatum(compare_arguments<Type>(fcinfo) < 0))       \
    STAMPED_ENTRY(type, le, BoolGetDatum(compare_arguments<Type>(fcinfo) <= 0))      \
    STAMPED_ENTRY(type, eq, BoolGetDatum(compare_arguments<Type>(fcinfo) == 0))      \
    STAMPED_ENTRY(type, ne, BoolGetDatum(compare_arguments<Type>(fcinfo) != 0))      \
    STAMPED_ENTRY(type, ge, BoolGetDatum(compare_arguments<Type>(fcinfo) >= 0))      \
    STAMPED_ENTRY(type, gt, BoolGetDatum(compare_arguments<Type>(fcinfo) > 0))       \
    STAMPED_ENTRY(type, cmp, Int32GetDatum(compare_arguments<Type>(fcinfo)))         \
    STAMPED_ENTRY(type, larger, stamped_larger<Type>(fcinfo))                        \
    STAMPED_ENTRY(type, smaller, stamped_smaller<Type>(fcinfo))                      \
    STAMPED_ENTRY(type, hash, stamped_hash<Type>(fcinfo))                            \
    STAMPED_ENTRY(type, hash_extended, stamped_hash_extended<Type>(fcinfo))          \
    STAMPED_ENTRY(type, sortsupport, stamped_sortsupport<Type>(fcinfo))              \
    STAMPED_ENTRY(type, time, stamped_time<Type>(fcinfo))                            \
    STAMPED_ENTRY(type, min, (stamped_min<Type, type##_form>(fcinfo)))               \
    STAMPED_ENTRY(type, max, (stamped_max<Type, type##_form>(fcinfo)))               \
    STAMPED_ENTRY(type, make, (stamped_make<Type, type##_form>(fcinfo)))             \
    extern int require_semicolon
