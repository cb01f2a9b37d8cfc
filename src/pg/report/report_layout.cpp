// Refusals of layouts and of lists of shards.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

struct LayoutWords {
    Reason reason;
    const char *message;  // %s: the refused part
    const char *hint;
};

constexpr const char *form_hint =
    "Write a preset's name (instagram, snowflake, twitter, discord, sonyflake, sonyflake2, mastodon, js53, "
    "js53ms, trace) or "
    "fields from the highest bit down, such as \"epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 "
    "sequence=12\".";
constexpr const char *bits_hint = "Time, region, shard and sequence share 64 bits.";

constexpr LayoutWords layout_words[] = {
    {Reason::layout_empty, "invalid id_layout: the text is empty", form_hint},
    {Reason::layout_unknown_word, "invalid id_layout: unknown word \"%s\"", form_hint},
    {Reason::layout_repeated_word, "invalid id_layout: \"%s\" repeats a word", "Each word may stand once."},
    {Reason::layout_bad_number, "invalid id_layout: \"%s\" needs a number of bits from 1",
     "Leave out a field that the layout does not have."},
    {Reason::layout_bad_unit, "invalid id_layout: \"%s\" is not a whole number of ms from 1ms to 1s",
     "Write unit=1ms, unit=10ms or unit=1s."},
    {Reason::layout_bad_epoch, "invalid id_layout: \"%s\" is no instant from year 1 to 9999",
     "Write a day that exists, in UTC: epoch=2020-01-01T00:00:00Z, with up to three decimals of a second."},
    {Reason::layout_bad_flag, "invalid id_layout: \"%s\" has something after its number",
     "Only time may end in \"w\" (it wraps), only sequence in \"+1\" (it counts from 1)."},
    {Reason::layout_no_epoch, "invalid id_layout: it has no epoch",
     "Add the instant of tick 0, such as epoch=2020-01-01T00:00:00Z."},
    {Reason::layout_no_unit, "invalid id_layout: it has no unit",
     "Add the length of a tick, such as unit=1ms."},
    {Reason::layout_no_time, "invalid id_layout: it has no time field",
     "Add it as the first field, such as time=41."},
    {Reason::layout_time_not_highest, "invalid id_layout: \"%s\" is not the highest field",
     "Put time before the other fields, so that IDs sort by time."},
    {Reason::layout_region_not_above_shard, "invalid id_layout: region does not stand directly above shard",
     "Write region=N shard=M next to each other."},
    {Reason::layout_field_too_wide,
     "invalid id_layout: region and shard together, or sequence, have more than 31 bits",
     "SQL shows each as an int of at most 31 bits."},
    {Reason::layout_too_many_bits, "invalid id_layout: the fields have more than 64 bits together",
     bits_hint},
    {Reason::layout_wrap_sets_sign, "invalid id_layout: a time that wraps would set the sign bit",
     "Let the fields have at most 63 bits together."},
    {Reason::layout_outlasts_calendar, "invalid id_layout: time would reach past the year 294276",
     "Use fewer bits for time or a shorter unit: timestamptz ends there."},
};

const LayoutWords &words_for(Reason reason) noexcept {
    for (const LayoutWords &words : layout_words)
        if (words.reason == reason) return words;
    return layout_words[lengthof(layout_words) - 1];
}

}  // namespace

void report_layout(const LayoutError &error, std::string_view text, [[maybe_unused]] Node *soft_context) {
    const LayoutWords &words = words_for(error.reason);
    errsave(soft_context,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg(words.message, copy_text(error.part)),
             errdetail("The layout was \"%s\".", copy_text(text)), errhint("%s", words.hint)));
}

void report_binary_layout() {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary id_layout"),
             errdetail("Its fields do not fit together."), errhint("Send what id_layout_send gives.")));
}

void explain_bad_shards(const ShardsError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    const char *part = copy_text(error.part);
    if (error.reason == Reason::shards_reversed)
        GUC_check_errdetail("The range \"%s\" ends before it begins.", part);
    else if (error.reason == Reason::shards_too_large)
        GUC_check_errdetail("\"%s\" is more than %u.", part, max_shard);
    else
        GUC_check_errdetail("\"%s\" is no shard number and no range.", part);
    GUC_check_errhint("Write numbers and ranges, such as '5' or '0-15' or '1,4,8-11'.");
}

}  // namespace idgen::pg
