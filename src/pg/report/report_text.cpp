// Refusals of texts and UUIDs that should be IDs.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

struct FormWords {
    const char *name;
    int most_digits;
    const char *largest;
    const char *hint;
};

// In the order of TextForm.
constexpr FormWords form_words[] = {
    {"Base62 text", 11, "LygHa16AHYF", "Base62 has the digits 0-9, A-Z and a-z."},
    {"Base32 text", 13, "FZZZZZZZZZZZZ",
     "Base32 has the digits 0-9 and A-Z without I, L, O and U, in either case; hyphens may stand between. "
     "For a text that ends in a check symbol (a digit or * ~ $ = U), say checksum => true."},
    {"base64url text", 11, "P__________",
     "base64url has the digits A-Z, a-z, 0-9, \"-\" and \"_\", without padding."},
    {"id64", 11, "LygHa16AHYF",
     "An id64 is written as 11 digits of 0-9, A-Z and a-z. A number becomes one by a cast: "
     "123::bigint::id64."},
    {"ULID", 26, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
     "A ULID is written as 26 digits of 0-9 and A-Z without I, L, O and U, in either case, the first at most "
     "7."},
    {"KSUID", 27, "aWgEPTl1tmebfsQzFP4bxwgy80V", "A KSUID is written as 27 digits of 0-9, A-Z and a-z."},
    {"ObjectId", 24, "ffffffffffffffffffffffff",
     "An ObjectId is written as 24 hexadecimal digits, in either case."},
};

struct TextWords {
    int sqlstate;
    const char *problem;
    const char *detail;
};

TextWords words_for(const FormWords &form, const TextError &error, std::string_view text) {
    const char *whole = clip_text(text);
    switch (error.reason) {
        case Reason::text_bad_character:
            return {ERRCODE_INVALID_TEXT_REPRESENTATION,
                    psprintf("\"%s\" is no digit", character_at(text, error.position)),
                    psprintf("It is character %d of \"%s\".", static_cast<int>(error.position) + 1, whole)};
        case Reason::text_too_long:
            return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
                    psprintf("it has more than %d digits", form.most_digits),
                    psprintf("The text was \"%s\".", whole)};
        case Reason::text_too_large:
            return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "it is too large",
                    psprintf("The text was \"%s\"; the largest is \"%s\".", whole, form.largest)};
        case Reason::text_too_short:
            return {ERRCODE_INVALID_TEXT_REPRESENTATION,
                    psprintf("it has fewer than %d digits", form.most_digits),
                    psprintf("The text was \"%s\".", whole)};
        default:
            return {ERRCODE_INVALID_TEXT_REPRESENTATION, "it has no digit",
                    psprintf("The text was \"%s\".", whole)};
    }
}

const char *uuid_text(const Uuid &uuid) {
    return DatumGetCString(DirectFunctionCall1(uuid_out, PointerGetDatum(&uuid)));
}

const char *why_no_id(Reason reason, const Layout &layout, const Uuid &uuid, int64 id) {
    if (reason == Reason::uuid_not_version_7) return "It is no UUID of version 7 (RFC 9562).";
    if (reason == Reason::uuid_holds_no_id) return "Its bits below the time hold no ID of that layout.";
    Packing p = packing_of(layout);
    Parts parts{};
    unpack(p, id, parts);
    return psprintf("It holds the number %lld, whose time in that layout is %s, beside the time %s.",
                    static_cast<long long>(id), instant_text(start_of(p, parts.tick)),
                    instant_text(uuid_time_ms(uuid)));
}

}  // namespace

const char *form_name(TextForm form) {
    return form_words[static_cast<int>(form)].name;
}

void report_text(TextForm form, const TextError &error, std::string_view text,
                 [[maybe_unused]] Node *soft_context) {
    const FormWords &words = form_words[static_cast<int>(form)];
    TextWords problem = words_for(words, error, text);
    errsave(soft_context, (errcode(problem.sqlstate), errmsg("invalid %s: %s", words.name, problem.problem),
                           errdetail("%s", problem.detail), errhint("%s", words.hint)));
}

void report_check_symbol(std::string_view text, char right) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                    errmsg("invalid Base32 text: its check symbol does not fit its digits"),
                    errdetail("The text was \"%s\"; its digits have the check symbol \"%c\".",
                              clip_text(text), right),
                    errhint("A digit was mistyped, or two changed places.")));
}

void report_id_for_uuid(Reason reason, const Layout &layout, int64 id) {
    LayoutName name(layout);
    Packing p = packing_of(layout);
    if (reason == Reason::id_not_of_layout)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("%lld is no ID of layout \"%s\"", static_cast<long long>(id), name.text),
                        errdetail("Its IDs lie between 0 and %lld.",
                                  static_cast<long long>(highest_id(p, static_cast<int64>(p.time_mask)))),
                        errhint("Give the layout that the ID was made with.")));
    Parts parts{};
    unpack(p, id, parts);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("no UUID can hold the time of ID %lld", static_cast<long long>(id)),
                    errdetail("It is %s in layout \"%s\"; a UUID of version 7 has times from %s to %s.",
                              instant_text(start_of(p, parts.tick)), name.text, instant_text(0),
                              instant_text(uuid_last_ms)),
                    errhint("Use a text form, or a layout with another epoch.")));
}

void report_uuid(Reason reason, const Layout &layout, const Uuid &uuid, int64 id) {
    LayoutName name(layout);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("UUID %s holds no ID of layout \"%s\"", uuid_text(uuid), name.text),
                    errdetail("%s", why_no_id(reason, layout, uuid, id)),
                    errhint("Give a UUID that id_to_uuid made, and the same layout.")));
}

}  // namespace idgen::pg
