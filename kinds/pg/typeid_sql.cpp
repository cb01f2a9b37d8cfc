// The SQL face of TypeIDs, for every type of 128 bits. All immutable.
#include "kinds/core/typeid.hpp"

#include "core/text/digits.hpp"
#include "kinds/pg/kinds_state.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

int hint_of_typeid() {
    return errhint(
        "A TypeID is written as a prefix, \"_\", and 26 digits of 0-9 and a-z without i, l, o and u, the first at most 7; without a prefix, as the digits alone.");
}

// What messages call it; their words are those of all texts.
constexpr const char *name = "TypeID";

// Message and hint.
int message_of(const TextError &error, std::string_view text) {
    switch (error.reason) {
        case TextReason::prefix_bad_character:
        case TextReason::prefix_too_long:
            return message_of_prefix(name, error, text);
        case TextReason::bad_character:
            errmsg("invalid %s: \"%s\" is not a digit", name, character_at(text, error.position));
            break;
        case TextReason::too_large:
            errmsg("invalid %s: \"%s\" is above 7, the largest first digit", name, character_at(text, error.position));
            break;
        case TextReason::too_long:
            errmsg("invalid %s: it has more than %d digits", name, 26);
            break;
        case TextReason::too_short:
            errmsg("invalid %s: it has fewer than %d digits", name, 26);
            break;
        case TextReason::empty:
        case TextReason::wrong_check:
        case TextReason::bad_key_number:
        case TextReason::none:
            errmsg("invalid %s: it has no digit", name);
    }
    return hint_of_typeid();
}

// Before a wrong character there are only characters of one byte.
int detail_of(const TextError &error, std::string_view text) {
    bool is_character = error.reason == TextReason::prefix_bad_character || error.reason == TextReason::bad_character ||
                        error.reason == TextReason::too_large;
    if (is_character) return errdetail("It is character %zu of \"%s\".", error.position + 1, clip_text(text));
    return errdetail("The text was \"%s\".", clip_text(text));
}

[[noreturn]] void report_typeid(const TextError &error, std::string_view text) {
    ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), message_of(error, text), detail_of(error, text));
}

// Raises unless the type is uuid or ulid, or a domain over one.
void require_128_bits(FmgrInfo *call_site, Oid type) {
    if (call_site->fn_extra != nullptr) return;  // a call site is checked once
    Oid base = OidIsValid(type) ? getBaseType(type) : type;
    if (base != UUIDOID && !is_ulid_type(base))
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                errmsg("a TypeID cannot hold a value of type %s", format_type_be(type)),
                errdetail("It holds 128 bits: a uuid or a ulid."),
                errhint("Give a value of one of these types, or a cast to uuid."));
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
    if (TextError error = check_id_prefix(prefix); error.reason != TextReason::none) report_prefix(name, error, prefix);
    char text[typeid_most];
    return text_datum(text, print(TypeId{prefix, value_argument(fcinfo, 1)}, text));
}

// As a uuid and as a ulid: they are the same 16 bytes.
Datum idgen_typeid_value(PG_FUNCTION_ARGS) {
    return copy_datum(typeid_argument(fcinfo, 0).value);
}

Datum idgen_typeid_prefix(PG_FUNCTION_ARGS) {
    std::string_view prefix = typeid_argument(fcinfo, 0).prefix;
    return text_datum(prefix.data(), prefix.size());
}

}  // extern "C"
}  // namespace idgen::pg
