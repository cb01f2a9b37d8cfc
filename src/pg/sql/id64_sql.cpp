// The SQL face of the type id64: its text form is Base62, all else is what bigint has. The server finds a function of its own
// by number, but only under its own name: declared internal under another one, it would be looked for by name, among all that the server
// has, whenever a query starts. So each has a function here.

#include "core/text/digits.hpp"
#include "pg/report/report_text.hpp"

namespace idgen::pg {

extern "C" {

PG_FUNCTION_INFO_V1(idgen_id64_in);
PG_FUNCTION_INFO_V1(idgen_id64_out);

Datum idgen_id64_in(PG_FUNCTION_ARGS) {
    std::string_view text(PG_GETARG_CSTRING(0));
    int64 id = 0;
    TextError error = parse_base62(text, false, id);
    if (error.reason != TextReason::none) {
        report_text(id64_form, error, text, fcinfo->context);
        PG_RETURN_NULL();
    }
    PG_RETURN_INT64(id);
}

Datum idgen_id64_out(PG_FUNCTION_ARGS) {
    auto *text = static_cast<char *>(palloc(base62_size + 1));
    print_base62(PG_GETARG_INT64(0), text);
    text[base62_size] = '\0';
    PG_RETURN_CSTRING(text);
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it declares a function of the server's interface.
#define IDGEN_AS_BIGINT(function)              \
    PG_FUNCTION_INFO_V1(idgen_##function);     \
    Datum idgen_##function(PG_FUNCTION_ARGS) { \
        return function(fcinfo);               \
    }

IDGEN_AS_BIGINT(int8recv)
IDGEN_AS_BIGINT(int8send)
IDGEN_AS_BIGINT(int8eq)
IDGEN_AS_BIGINT(int8ne)
IDGEN_AS_BIGINT(int8lt)
IDGEN_AS_BIGINT(int8le)
IDGEN_AS_BIGINT(int8gt)
IDGEN_AS_BIGINT(int8ge)
IDGEN_AS_BIGINT(btint8cmp)
IDGEN_AS_BIGINT(hashint8)
IDGEN_AS_BIGINT(hashint8extended)
IDGEN_AS_BIGINT(in_range_int8_int8)
IDGEN_AS_BIGINT(int8smaller)
IDGEN_AS_BIGINT(int8larger)

}  // extern "C"

}  // namespace idgen::pg
