// Texts as arguments and results.
#pragma once

#include <string_view>

#include "pg/postgres.hpp"

namespace idgen::pg {

inline std::string_view text_argument(FunctionCallInfo fcinfo, int number) {
    const text *argument = PG_GETARG_TEXT_PP(number);
    return {VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument)};
}

inline Datum text_datum(const char *bytes, size_t size) {
    return PointerGetDatum(cstring_to_text_with_len(bytes, static_cast<int>(size)));
}

}  // namespace idgen::pg
