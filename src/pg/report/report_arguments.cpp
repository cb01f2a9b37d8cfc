#include "pg/report/report_arguments.hpp"

namespace idgen::pg {
namespace {

const char *instants_of(const Layout &layout) {
    char *end = pstrdup(timestamptz_to_str(start_of(packing_of(layout), packing_of(layout).tick_end)));
    return psprintf("The layout holds instants from %s until before %s.", instant_text(layout.epoch_ms), end);
}

// A shard that is negative or of seven digits is likely a hash.
const char *hint_of_range(int64 shard, uint32 last) {
    constexpr int64 largest_likely = 999999;
    if (last == 0) return "The layout has no shard field: leave the shard out, or give 0.";
    if (shard >= 0 && shard <= largest_likely)
        return psprintf("Give a shard from 0 to %u, or a layout with more shards.", last);
    return psprintf(
        "Give a shard from 0 to %u. A hash becomes one by a modulo that is never negative, such as (hash & 2147483647) %% %u.",
        last, last + 1);
}

// SQLSTATE and message.
int message_of(const TextForm &form, const TextError &error, std::string_view text) {
    int sqlstate = ERRCODE_INVALID_TEXT_REPRESENTATION;
    switch (error.reason) {
        case TextReason::bad_character:
        case TextReason::prefix_bad_character:
            errmsg("invalid %s: \"%s\" is not a digit", form.name, character_at(text, error.position));
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

int hint_of(const TextForm &form, const TextError &error) {
    if (error.reason == TextReason::too_short && form.missing)
        return errhint("%s is missing. If zeros in front were left out instead, say short => true.", form.missing);
    return errhint("%s", form.hint);
}

// The names of the presets: "instagram, snowflake, ..."
const char *preset_names() {
    StringInfoData names;
    initStringInfo(&names);
    for (int i = 0; i < preset_count; i++)
        appendStringInfo(&names, "%s%s", i == 0 ? "" : ", ", copy_text(preset(i).name));
    return names.data;
}

int hint_of_form(std::string_view word) {
    const Preset *meant = nearest_preset(word);
    return errhint(
        "%sWrite a preset's name (%s) or fields from the highest bit down, such as \"epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=12\".",
        meant == nullptr ? "" : psprintf("Perhaps you meant \"%s\". ", copy_text(meant->name)), preset_names());
}

struct LayoutWords {
    LayoutReason reason;
    const char *message;  // %s: the refused part
    const char *hint;     // null: how a layout is written
};

// In the order of the reasons.
constexpr LayoutWords layout_words[] = {
    {LayoutReason::empty, "invalid id_layout: the text is empty", nullptr},
    {LayoutReason::unknown_word, "invalid id_layout: unknown word \"%s\"", nullptr},
    {LayoutReason::repeated_word, "invalid id_layout: \"%s\" repeats a word", "Each word may occur once."},
    {LayoutReason::bad_number, "invalid id_layout: \"%s\" needs a number of bits from 1",
     "Leave out a field that the layout does not have."},
    {LayoutReason::bad_unit, "invalid id_layout: \"%s\" is not a whole number of us from 1us to 1s",
     "Write unit=100us, unit=1ms or unit=1s."},
    {LayoutReason::bad_epoch, "invalid id_layout: \"%s\" is not an instant from year 1 to 9999",
     "Write a day that exists, in UTC: epoch=2020-01-01T00:00:00Z, with up to three decimals of a second."},
    {LayoutReason::bad_flag, "invalid id_layout: \"%s\" has something after its number",
     "Only time may end in \"w\" (it wraps), only sequence in \"+1\" (it counts from 1)."},
    {LayoutReason::no_epoch, "invalid id_layout: it has no epoch",
     "Add the instant of tick 0, such as epoch=2020-01-01T00:00:00Z."},
    {LayoutReason::no_unit, "invalid id_layout: it has no unit", "Add the length of a tick, such as unit=1ms."},
    {LayoutReason::no_time, "invalid id_layout: it has no time field", "Add it as the first field, such as time=41."},
    {LayoutReason::time_not_highest, "invalid id_layout: \"%s\" is not the highest field",
     "Put time before the other fields, so that IDs sort by time."},
    {LayoutReason::region_not_above_shard, "invalid id_layout: region is not directly above shard",
     "Write region=N shard=M next to each other."},
    {LayoutReason::field_too_wide, "invalid id_layout: region and shard together, or sequence, have more than 31 bits",
     "SQL shows each as an int of at most 31 bits."},
    {LayoutReason::too_many_bits, "invalid id_layout: the fields have more than 64 bits together",
     "Time, region, shard and sequence share 64 bits."},
    {LayoutReason::wrap_sets_sign, "invalid id_layout: a time that wraps would set the sign bit",
     "Let the fields have at most 63 bits together."},
    {LayoutReason::outlasts_calendar, "invalid id_layout: time would reach past the year 294276",
     "Use fewer bits for time or a shorter unit: timestamptz ends there."},
};

// The words of a text's reason: every one but none and malformed.
constexpr const LayoutWords &words_of(LayoutReason reason) noexcept {
    return layout_words[static_cast<size_t>(reason) - 1];
}

constexpr bool are_in_order() noexcept {
    for (const LayoutWords &words : layout_words)
        if (&words_of(words.reason) != &words) return false;
    return static_cast<size_t>(LayoutReason::malformed) == lengthof(layout_words) + 1;
}
static_assert(are_in_order(), "each reason has its words");

}  // namespace

Refusal refusal_of_shard(const Layout &layout, int64 shard) {
    uint32 last = packing_of(layout).shard_last;
    return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
            psprintf("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard),
                     LayoutName(layout).text),
            psprintf("The layout has the shards 0 to %u.", last), hint_of_range(shard, last), "shards"};
}

Refusal refusal_of_instant(TickReason reason, const Layout &layout, TimestampTz instant) {
    const char *text = timestamptz_to_str(instant);
    LayoutName name(layout);
    if (reason == TickReason::before_epoch)
        return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
                psprintf("%s is before the epoch of layout \"%s\"", text, name.text), instants_of(layout),
                "Use a layout with an earlier epoch.", "layout"};
    return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, psprintf("%s is past the end of layout \"%s\"", text, name.text),
            instants_of(layout), "Use a layout with a later epoch, a longer unit, or fewer bits below the time.",
            "layout"};
}

void report_infinite_instant(const char *hint) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an infinite timestamp has no ID"),
            errdetail("An ID holds a finite instant."), errhint("%s", hint));
}

void report_wrapping_bounds(const Layout &layout) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("layout \"%s\" has no bounds in time", LayoutName(layout).text),
            errdetail("Its time wraps, so the IDs of a period are not one range."),
            errhint("Compare id_time_near(id, near, layout) instead."));
}

void report_null(const char *argument, const char *detail) {
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument),
            errdetail("%s", detail == nullptr ? "It has no default." : detail),
            errhint("%s", detail == nullptr ? "Give a value." : "Leave the argument out to use its default."));
}

void require_superuser(const char *function, const char *detail) {
    if (superuser()) return;
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", function),
            errdetail("%s", detail), errhint("Have a superuser call it."));
}

void report_null_element(const char *argument) {
    ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not hold a null", argument),
            errdetail("Every element counts."), errhint("Leave the nulls out: array_remove(array, null)."));
}

void report_array_too_large(int64 count, int64 most) {
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("an array cannot hold %lld IDs", static_cast<long long>(count)),
            errdetail("It holds at most %lld.", static_cast<long long>(most)),
            errhint("Use next_ids, which gives rows."));
}

Refusal refusal_of_hlc_time(int64 unix_ms, int64 last_ms) {
    return {
        ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, psprintf("no HLC timestamp can hold the time %s", instant_text(unix_ms)),
        psprintf("Its times are from %s to %s.", instant_text(0), instant_text(last_ms)), time_between_hint, "clock"};
}

void report_text(const TextForm &form, const TextError &error, std::string_view text,
                 [[maybe_unused]] Node *soft_context) {
    errsave(soft_context, message_of(form, error, text), detail_of(form, error, text), hint_of(form, error));
}

int message_of_prefix(const char *what, const TextError &error, std::string_view text) {
    if (error.reason == TextReason::prefix_too_long)
        errmsg("invalid %s: the prefix has more than 63 characters", what);
    else
        errmsg("invalid %s: \"%s\" is not allowed there in a prefix", what, character_at(text, error.position));
    return errhint("A prefix has up to 63 of a-z and \"_\", no \"_\" at its ends; it may be empty.");
}

void report_prefix(const char *of, const TextError &error, std::string_view prefix) {
    bool is_character = error.reason == TextReason::prefix_bad_character;
    ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            message_of_prefix(psprintf("prefix of a %s", of), error, prefix),
            is_character ? errdetail("It is character %zu of \"%s\".", error.position + 1, clip_text(prefix))
                         : errdetail("The text was \"%s\".", clip_text(prefix)));
}

void report_layout(const LayoutError &error, std::string_view text, [[maybe_unused]] Node *soft_context) {
    const LayoutWords &words = words_of(error.reason);
    errsave(soft_context, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg(words.message, clip_text(error.part)),
            errdetail("The layout was \"%s\".", clip_text(text)),
            words.hint == nullptr ? hint_of_form(error.part) : errhint("%s", words.hint));
}

}  // namespace idgen::pg
