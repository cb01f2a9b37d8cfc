#include "pg/report/report_text.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

// SQLSTATE and message.
int message_of(const TextForm &form, const TextError &error, std::string_view text) {
    int sqlstate = ERRCODE_INVALID_TEXT_REPRESENTATION;
    switch (error.reason) {
        case TextReason::bad_character:
        case TextReason::prefix_bad_character:
            errmsg("invalid %s: \"%s\" is no digit", form.name, character_at(text, error.position));
            break;
        case TextReason::too_long:
        case TextReason::prefix_too_long:
            sqlstate = ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
            errmsg("invalid %s: it has more than %d digits", form.name, form.most_digits);
            break;
        case TextReason::too_large:
            sqlstate = ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
            errmsg("invalid %s: it is too large", form.name);
            break;
        case TextReason::too_short:
            errmsg("invalid %s: it has fewer than %d digits", form.name, form.most_digits);
            break;
        case TextReason::empty:
        case TextReason::wrong_check:
        case TextReason::bad_key_number:
        case TextReason::none:
            errmsg("invalid %s: it has no digit", form.name);
    }
    return errcode(sqlstate);
}

int detail_of(const TextForm &form, const TextError &error, std::string_view text) {
    const char *whole = clip_text(text);
    if (error.reason == TextReason::bad_character)
        return errdetail("It is character %zu of \"%s\".", error.position + 1, whole);
    if (error.reason == TextReason::too_large)
        return errdetail("The text was \"%s\"; the largest is \"%s\".", whole, form.largest);
    return errdetail("The text was \"%s\".", whole);
}

}  // namespace

void report_text(const TextForm &form, const TextError &error, std::string_view text,
                 [[maybe_unused]] Node *soft_context, Location at) {
    errsave_at(at, soft_context,
               (message_of(form, error, text), detail_of(form, error, text), errhint("%s", form.hint)));
}

void report_check_symbol(std::string_view text, char right, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                errmsg("invalid Base32 text: its check symbol does not fit its digits"),
                errdetail("The text was \"%s\"; its digits have the check symbol \"%c\".", clip_text(text), right),
                errhint("A digit was mistyped, or two changed places.")));
}

}  // namespace idgen::pg
