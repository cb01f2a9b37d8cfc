// The SQL face of TypeIDs, for every type of 128 bits. All immutable.
#include "core/kinds/typeid.hpp"

#include "pg/report/report_typeid.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

// Raises unless the type is uuid or ulid, or a domain over one.
void require_128_bits(FmgrInfo *call_site, Oid type) {
    if (call_site->fn_extra != nullptr) return;  // a call site is checked once
    Oid base = OidIsValid(type) ? getBaseType(type) : type;
    if (base != UUIDOID && !is_ulid_type(base)) report_typeid_type(type);
    call_site->fn_extra = call_site;
}

// The 128 bits of an argument of any type. A literal without a type is read as a uuid.
Uuid value_argument(FunctionCallInfo fcinfo, int number) {
    Oid type = get_fn_expr_argtype(fcinfo->flinfo, number);
    if (type == UNKNOWNOID) return uuid_from_text(PG_GETARG_CSTRING(number));
    require_128_bits(fcinfo->flinfo, type);
    return uuid_argument(fcinfo, number);
}

TypeId typeid_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view text = text_argument(fcinfo, number);
    TypeId id;
    if (TextError error = parse(text, id); error.reason != TextReason::none) report_typeid(error, text);
    return id;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_typeid_text);
PG_FUNCTION_INFO_V1(idgen_typeid_value);
PG_FUNCTION_INFO_V1(idgen_typeid_prefix);

Datum idgen_typeid_text(PG_FUNCTION_ARGS) {
    std::string_view prefix = text_argument(fcinfo, 0);
    if (TextError error = check_typeid_prefix(prefix); error.reason != TextReason::none)
        report_typeid_prefix(error, prefix);
    char text[typeid_most];
    return text_datum(text, print(TypeId{prefix, value_argument(fcinfo, 1)}, text));
}

// As a uuid and as a ulid: they are the same 16 bytes.
Datum idgen_typeid_value(PG_FUNCTION_ARGS) {
    return uuid_datum(typeid_argument(fcinfo, 0).value);
}

Datum idgen_typeid_prefix(PG_FUNCTION_ARGS) {
    std::string_view prefix = typeid_argument(fcinfo, 0).prefix;
    return text_datum(prefix.data(), prefix.size());
}

}  // extern "C"
}  // namespace idgen::pg
