// The SQL face of the text forms of an ID, and of the type id64, whose text form is Base62. All immutable.
#include "core/text/digits.hpp"
#include "pg/report/report_text.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/sql/text_argument.hpp"

namespace idgen::pg {
extern "C" {

PG_FUNCTION_INFO_V1(idgen_to_base62);
PG_FUNCTION_INFO_V1(idgen_from_base62);
PG_FUNCTION_INFO_V1(idgen_to_base32);
PG_FUNCTION_INFO_V1(idgen_from_base32);
PG_FUNCTION_INFO_V1(idgen_to_base64url);
PG_FUNCTION_INFO_V1(idgen_from_base64url);
PG_FUNCTION_INFO_V1(idgen_id64_in);
PG_FUNCTION_INFO_V1(idgen_id64_out);

Datum idgen_to_base62(PG_FUNCTION_ARGS) {
    char digits[base62_size];
    print_base62(PG_GETARG_INT64(0), digits);
    return text_datum(digits, base62_size);
}

Datum idgen_from_base62(PG_FUNCTION_ARGS) {
    std::string_view text = text_argument(fcinfo, 0);
    int64 id = 0;
    TextError error = parse_base62(text, id);
    if (error.reason != TextReason::none) report_text(base62_form, error, text, nullptr);
    PG_RETURN_INT64(id);
}

Datum idgen_to_base32(PG_FUNCTION_ARGS) {
    int64 id = PG_GETARG_INT64(0);
    bool has_check = PG_GETARG_BOOL(1);
    char digits[base32_size + 1];
    print_base32(id, digits);
    digits[base32_size] = base32_check(id);
    return text_datum(digits, has_check ? base32_size + 1 : base32_size);
}

Datum idgen_from_base32(PG_FUNCTION_ARGS) {
    std::string_view text = text_argument(fcinfo, 0);
    int64 id = 0;
    TextError error = parse_base32(text, PG_GETARG_BOOL(1), id);
    if (error.reason == TextReason::wrong_check) report_check_symbol(text, base32_check(id));
    if (error.reason != TextReason::none) report_text(base32_form, error, text, nullptr);
    PG_RETURN_INT64(id);
}

Datum idgen_to_base64url(PG_FUNCTION_ARGS) {
    char digits[base64url_size];
    size_t size = print_base64url(PG_GETARG_INT64(0), digits);
    return text_datum(digits, size);
}

Datum idgen_from_base64url(PG_FUNCTION_ARGS) {
    std::string_view text = text_argument(fcinfo, 0);
    int64 id = 0;
    TextError error = parse_base64url(text, id);
    if (error.reason != TextReason::none) report_text(base64url_form, error, text, nullptr);
    PG_RETURN_INT64(id);
}

Datum idgen_id64_in(PG_FUNCTION_ARGS) {
    std::string_view text(PG_GETARG_CSTRING(0));
    int64 id = 0;
    TextError error = parse_padded_base62(text, id);
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

}  // extern "C"
}  // namespace idgen::pg
