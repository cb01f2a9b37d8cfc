// Refusals of what should become a UUID of version 7, a NanoID or a TypeID.
#include "core/kinds/nanoid.hpp"
#include "core/kinds/typeid.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

constexpr const char *typeid_hint =
    "A TypeID is written as a prefix, \"_\", and 26 digits of 0-9 and a-z without i, l, o and u, the first "
    "at "
    "most 7; without a prefix, as the digits alone.";
constexpr const char *prefix_hint =
    "A prefix has up to 63 of a-z and \"_\", no \"_\" at its ends; it may be empty.";

struct Problem {
    const char *message;
    const char *detail;
};

Problem whole_text(const char *message, std::string_view text) {
    return {message, psprintf("The text was \"%s\".", clip_text(text))};
}

// Before a wrong character stand characters of one byte alone.
Problem one_character(const char *words, std::string_view text, size_t position) {
    return {psprintf("\"%s\" %s", character_at(text, position), words),
            psprintf("It is character %zu of \"%s\".", position + 1, clip_text(text))};
}

Problem problem_of(const TextError &error, std::string_view text) {
    switch (error.reason) {
        case Reason::prefix_bad_character:
            return one_character("cannot stand there in a prefix", text, error.position);
        case Reason::prefix_too_long:
            return whole_text("the prefix has more than 63 characters", text);
        case Reason::text_bad_character:
            return one_character("is no digit", text, error.position);
        case Reason::text_too_large:
            return one_character("is above 7, the largest first digit", text, error.position);
        case Reason::text_too_long:
            return whole_text("it has more than 26 digits", text);
        case Reason::text_too_short:
            return whole_text("it has fewer than 26 digits", text);
        default:
            return whole_text("it has no digit", text);
    }
}

[[noreturn]] void report_problem(const char *what, const Problem &problem, const char *hint) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid %s: %s", what, problem.message),
             errdetail("%s", problem.detail), errhint("%s", hint)));
}

}  // namespace

void report_uuid_stamp(TimestampTz at) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("no UUID of version 7 can hold the time %s", timestamptz_to_str(at)),
                    errdetail("Its times are from %s to %s.", instant_text(0), instant_text(uuid_last_ms)),
                    errhint("Give a time in between.")));
}

void report_no_uuid() {
    ereport(ERROR,
            (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("no UUID of version 7 is left"),
             errdetail("The last one that this server made, or its clock, says %s or later.",
                       instant_text(uuid_last_ms)),
             errhint("Set the clock right, and restart the server.")));
}

void report_nanoid_size(int64 size, int64 most) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%lld is no size of a NanoID", static_cast<long long>(size)),
                    errdetail("A NanoID has 1 to %lld characters.", static_cast<long long>(most)),
                    errhint("Leave the size out for 21 characters.")));
}

void report_alphabet_size(size_t symbols) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("an alphabet of %zu characters makes no NanoID", symbols),
                    errdetail("An alphabet has 1 to %zu characters.", nanoid_most_symbols),
                    errhint("Leave the alphabet out for the 64 characters A-Z, a-z, 0-9, \"-\" and \"_\".")));
}

void report_repeated_symbol(std::string_view symbol, size_t position) {
    ereport(
        ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
         errmsg("the alphabet has \"%s\" more than once", copy_text(symbol)),
         errdetail("It stands there again as character %zu, and would be picked more often than the others.",
                   position + 1),
         errhint("Give each character once.")));
}

void report_typeid(const TextError &error, std::string_view text) {
    bool is_prefix = error.reason == Reason::prefix_bad_character || error.reason == Reason::prefix_too_long;
    report_problem("TypeID", problem_of(error, text), is_prefix ? prefix_hint : typeid_hint);
}

void report_typeid_prefix(const TextError &error, std::string_view prefix) {
    report_problem("prefix of a TypeID", problem_of(error, prefix), prefix_hint);
}

void report_typeid_type(Oid type) {
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("a TypeID holds no %s", format_type_be(type)),
                    errdetail("It holds 128 bits: a uuid or a ulid."),
                    errhint("Give a value of one of these types, or a cast to uuid.")));
}

}  // namespace idgen::pg
