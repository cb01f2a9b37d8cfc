#include "pg/report/report_typeid.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

int hint_of_typeid() {
    return errhint(
        "A TypeID is written as a prefix, \"_\", and 26 digits of 0-9 and a-z without i, l, o and u, the "
        "first at most 7; without a prefix, as the digits alone.");
}

int hint_of_prefix() {
    return errhint("A prefix has up to 63 of a-z and \"_\", no \"_\" at its ends; it may be empty.");
}

// Message and hint; `what` is the TypeID or its prefix.
int message_of(const char *what, const TextError &error, std::string_view text) {
    switch (error.reason) {
        case TextReason::prefix_bad_character:
            errmsg("invalid %s: \"%s\" cannot stand there in a prefix", what, character_at(text, error.position));
            return hint_of_prefix();
        case TextReason::prefix_too_long:
            errmsg("invalid %s: the prefix has more than 63 characters", what);
            return hint_of_prefix();
        case TextReason::bad_character:
            errmsg("invalid %s: \"%s\" is no digit", what, character_at(text, error.position));
            break;
        case TextReason::too_large:
            errmsg("invalid %s: \"%s\" is above 7, the largest first digit", what, character_at(text, error.position));
            break;
        case TextReason::too_long:
            errmsg("invalid %s: it has more than %d digits", what, 26);
            break;
        case TextReason::too_short:
            errmsg("invalid %s: it has fewer than %d digits", what, 26);
            break;
        case TextReason::empty:
        case TextReason::wrong_check:
        case TextReason::bad_key_number:
        case TextReason::none:
            errmsg("invalid %s: it has no digit", what);
    }
    return hint_of_typeid();
}

// Before a wrong character stand characters of one byte alone.
int detail_of(const TextError &error, std::string_view text) {
    bool is_character = error.reason == TextReason::prefix_bad_character || error.reason == TextReason::bad_character ||
                        error.reason == TextReason::too_large;
    if (is_character) return errdetail("It is character %zu of \"%s\".", error.position + 1, clip_text(text));
    return errdetail("The text was \"%s\".", clip_text(text));
}

[[noreturn]] void report_typeid_text(const char *what, const TextError &error, std::string_view text, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), message_of(what, error, text), detail_of(error, text)));
}

}  // namespace

void report_typeid(const TextError &error, std::string_view text, Location at) {
    report_typeid_text("TypeID", error, text, at);
}

void report_typeid_prefix(const TextError &error, std::string_view prefix, Location at) {
    report_typeid_text("prefix of a TypeID", error, prefix, at);
}

void report_typeid_type(Oid type, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("a TypeID holds no %s", format_type_be(type)),
                errdetail("It holds 128 bits: a uuid or a ulid."),
                errhint("Give a value of one of these types, or a cast to uuid.")));
}

}  // namespace idgen::pg
