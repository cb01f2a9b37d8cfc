// UUIDs as arguments and results.
#pragma once

#include "core/kinds/uuid.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {

static_assert(sizeof(Uuid) == UUID_LEN, "a uuid of the server is a uuid of the core");

inline const Uuid &uuid_argument(FunctionCallInfo fcinfo, int number) {
    return *reinterpret_cast<const Uuid *>(PG_GETARG_POINTER(number));
}

// Reads it as the server does; raises as it does.
inline Uuid uuid_from_text(char *text) {
    Datum read = DirectFunctionCall1(uuid_in, CStringGetDatum(text));
    return *reinterpret_cast<const Uuid *>(DatumGetPointer(read));
}

inline Datum uuid_datum(const Uuid &uuid) {
    auto *copy = static_cast<Uuid *>(palloc(sizeof(Uuid)));
    *copy = uuid;
    return PointerGetDatum(copy);
}

}  // namespace idgen::pg
