#include "pg/report.hpp"

#include "pg/instant.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

// The text of a layout, for messages.
struct LayoutName {
    char text[layout_text_size + 1];
    explicit LayoutName(const Layout &layout) { text[print_layout(layout, text)] = '\0'; }
};

struct LayoutWords {
    Reason reason;
    const char *message;  // %s: the refused part
    const char *hint;
};

constexpr const char *form_hint =
    "Write a preset's name (instagram, snowflake, twitter, discord, sonyflake, mastodon, js53, trace) or "
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

char *copy(std::string_view text) {
    return pnstrdup(text.data(), text.size());
}

// 1500 -> "1.500 s"
char *seconds(int64 ms) {
    return psprintf("%lld.%03d s", static_cast<long long>(ms / 1000), static_cast<int>(ms % 1000));
}

char *instant(int64 unix_ms) {
    return pstrdup(timestamptz_to_str(to_timestamptz(unix_ms)));
}

[[noreturn]] void report_no_region(const LayoutName &name) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("layout \"%s\" has no region", name.text),
             errdetail("idgen.region is %d.", settings.region),
             errhint("Use a layout with a region, or set idgen.region to 0.")));
}

[[noreturn]] void report_region_range(const LayoutName &name, const Layout &layout) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("region %d is out of range for layout \"%s\"", settings.region, name.text),
                    errdetail("The layout has the regions 0 to %u.", mask32(layout.region_bits)),
                    errhint("Change idgen.region.")));
}

[[noreturn]] void report_other_region(const LayoutName &name, const Layout &layout, int64 shard) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("shard %lld is not in this node's region", static_cast<long long>(shard)),
             errdetail("It has the region %lld in layout \"%s\"; idgen.region is %d.",
                       static_cast<long long>(shard >> layout.shard_bits), name.text, settings.region),
             errhint("Give a shard from 0 to %u, or change idgen.region.", mask32(layout.shard_bits))));
}

[[noreturn]] void report_sequence_range(const LayoutName &name, const Layout &layout, int64 sequence) {
    Packing p = packing_of(layout);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("sequence %lld is out of range for layout \"%s\"",
                           static_cast<long long>(sequence), name.text),
                    errdetail("The layout has the sequences %u to %u.", p.sequence_first, p.sequence_last),
                    errhint("Give a sequence in that range.")));
}

[[noreturn]] void report_zero(const LayoutName &name) {
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
             errmsg("these parts give 0 in layout \"%s\"", name.text), errdetail("An ID is at least 1."),
             errhint("In the first tick, give shard or sequence a number above 0.")));
}

[[noreturn]] void report_shard_range(const LayoutName &name, const Layout &layout, int64 shard) {
    uint32 last = packing_of(layout).shard_last;
    ereport(ERROR,
            (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
             errmsg("shard %lld is out of range for layout \"%s\"", static_cast<long long>(shard), name.text),
             errdetail("The layout has the shards 0 to %u.", last),
             last == 0 ? errhint("The layout has no shard field: leave the shard out.")
                       : errhint("A hash becomes a shard by a modulo that is never negative, such as "
                                 "(hash & 2147483647) %% %u.",
                                 last + 1)));
}

}  // namespace

void report_layout(const LayoutError &error, std::string_view text, [[maybe_unused]] Node *soft_context) {
    const LayoutWords &words = words_for(error.reason);
    errsave(soft_context,
            (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg(words.message, copy(error.part)),
             errdetail("The layout was \"%s\".", copy(text)), errhint("%s", words.hint)));
}

void report_binary_layout() {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary id_layout"),
             errdetail("Its fields do not fit together."), errhint("Send what id_layout_send gives.")));
}

void explain_bad_shards(const ShardsError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    const char *part = copy(error.part);
    if (error.reason == Reason::shards_reversed)
        GUC_check_errdetail("The range \"%s\" ends before it begins.", part);
    else if (error.reason == Reason::shards_too_large)
        GUC_check_errdetail("\"%s\" is more than %u.", part, max_shard);
    else
        GUC_check_errdetail("\"%s\" is no shard number and no range.", part);
    GUC_check_errhint("Write numbers and ranges, such as '5' or '0-15' or '1,4,8-11'.");
}

void report_part(Reason reason, const Layout &layout, int64 value) {
    LayoutName name(layout);
    switch (reason) {
        case Reason::region_not_in_layout:
            report_no_region(name);
        case Reason::region_out_of_range:
            report_region_range(name, layout);
        case Reason::shard_not_in_region:
            report_other_region(name, layout, value);
        case Reason::sequence_out_of_range:
            report_sequence_range(name, layout, value);
        case Reason::id_would_be_zero:
            report_zero(name);
        default:
            report_shard_range(name, layout, value);
    }
}

void report_instant(Reason reason, const Layout &layout, TimestampTz at) {
    LayoutName name(layout);
    bool is_early = reason == Reason::time_before_epoch;
    int64 end_ms = start_of(packing_of(layout), packing_of(layout).tick_end);
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%s is %s of layout \"%s\"", pstrdup(timestamptz_to_str(at)),
                           is_early ? "before the epoch" : "past the end", name.text),
                    errdetail("The layout holds instants from %s until before %s.", instant(layout.epoch_ms),
                              instant(end_ms)),
                    is_early ? errhint("Use a layout with an earlier epoch.")
                             : errhint("Use a layout with a later epoch, a longer unit, or fewer bits below "
                                       "the time.")));
}

void report_infinite_instant(const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an infinite timestamp has no ID"),
                    errdetail("An ID holds a finite instant."), errhint("%s", hint)));
}

void report_wrapping_bounds(const Layout &layout) {
    LayoutName name(layout);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("layout \"%s\" has no bounds in time", name.text),
                    errdetail("Its time wraps, so the IDs of a period are no range."),
                    errhint("Compare id_time_near(id, near, layout) instead.")));
}

void report_null(const char *argument, bool has_default) {
    ereport(ERROR,
            (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", argument),
             errdetail("A null would give a null ID."),
             has_default ? errhint("Leave the argument out to use its default.") : errhint("Give a value.")));
}

void report_negative_count(int64 count) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("count must not be negative"),
             errdetail("It is %lld.", static_cast<long long>(count)), errhint("Ask for 0 IDs or more.")));
}

void report_array_too_large(int64 count, int64 most) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("an array cannot hold %lld IDs", static_cast<long long>(count)),
                    errdetail("It holds at most %lld.", static_cast<long long>(most)),
                    errhint("Use next_ids, which gives rows.")));
}

void report_not_loaded() {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen is not loaded by the server"),
             errdetail("IDs are made from shared memory, which is set up when the server starts."),
             errhint("Add this line to postgresql.conf, joined with what is there, and restart: "
                     "shared_preload_libraries = 'idgen'")));
}

void report_recovery() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make IDs during recovery"),
                    errdetail("This server is a standby; its primary makes the IDs."),
                    errhint("Connect to the primary, or promote this server.")));
}

void report_no_shards(bool set_since_connect) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.shards is not set"),
             errdetail("Without a shard, next_id() draws from the shards that this node owns."),
             set_since_connect
                 ? errhint("It was set for this database or role after this connection began: reconnect.")
                 : errhint("Set the shards of this node and reconnect, such as: ALTER DATABASE %s SET "
                           "idgen.shards = '5'",
                           quote_identifier(get_database_name(MyDatabaseId)))));
}

void report_foreign_shard(int64 shard) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("shard %lld does not belong to this node", static_cast<long long>(shard)),
                    errdetail("idgen.shards is \"%s\", idgen.region is %d.",
                              GetConfigOption("idgen.shards", false, false), settings.region),
                    errhint("Leave the shard out to use the node's own, or add it to idgen.shards if no "
                            "other node has it.")));
}

void report_pool_shard(const Layout &layout, uint32 shard) {
    LayoutName name(layout);
    if (settings.region == 0)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("shard %u is out of range for layout \"%s\"", shard, name.text),
                        errdetail("The layout has the shards 0 to %u.", mask32(layout.node_bits())),
                        errhint("Change idgen.shards, or use a layout with more shards.")));
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("shard %u of idgen.shards is too large beside a region", shard),
                    errdetail("Layout \"%s\" has the shards 0 to %u in each region; idgen.region is %d.",
                              name.text, mask32(layout.shard_bits), settings.region),
                    errhint("Give idgen.shards without the region, or set idgen.region to 0.")));
}

void report_share_used(int slots) {
    ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                    errmsg("this database uses all of its %d idgen slots", slots),
                    errdetail("Each shard of each layout in use takes a slot, and none is idle."),
                    errhint("Raise idgen.max_slots_per_database, or idgen.max_slots and restart.")));
}

void report_all_slots_used() {
    ereport(ERROR,
            (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
             errmsg("all %d idgen slots of this server are used", settings.max_slots),
             errdetail("Each shard of each layout in use takes a slot in each database, and none is idle."),
             errhint("Raise idgen.max_slots and restart.")));
}

void report_full(const Stopped &s) {
    LayoutName name(*s.layout);
    Packing p = packing_of(*s.layout);
    uint32 ids = p.sequence_last - p.sequence_first + 1;
    int64 lead_ms = s.tick_start_ms - s.now_ms;
    const char *ahead =
        lead_ms <= p.unit_ms ? "" : psprintf("; its next tick is %s ahead of the clock", seconds(lead_ms));
    ereport(ERROR, (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                    errmsg("no ID is left in this tick for shard %u", s.shard),
                    errdetail("Layout \"%s\" makes %u ID%s in %d ms for each shard%s.", name.text, ids,
                              ids == 1 ? "" : "s", s.layout->unit_ms, ahead),
                    errhint("Raise idgen.max_wait, set idgen.overflow to wait or borrow, give this node more "
                            "shards, or use a layout with a longer sequence.")));
}

void report_clock_behind(const Stopped &s) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the clock is %s behind the next ID of shard %u", seconds(s.tick_start_ms - s.now_ms),
                    s.shard),
             errdetail("The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is %s, "
                       "idgen.max_wait is %s.",
                       instant(s.now_ms), instant(s.tick_start_ms), seconds(s.waited_ms),
                       seconds(settings.max_lead_ms), seconds(settings.max_wait_ms)),
             errhint("Correct the clock, or raise idgen.max_wait to wait for it.")));
}

void report_clock_jumped(int64 jump_ms) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the clock jumped forward by %s", seconds(jump_ms)),
                    errdetail("idgen.max_clock_jump is %s. No ID is stamped with a time that may be wrong.",
                              seconds(settings.max_clock_jump_ms)),
                    errhint("Correct the clock; or, if it is right now, have a superuser call "
                            "idgen_accept_clock().")));
}

void report_clock_not_synchronised(int level) {
    ereport(level,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the clock of this machine is not synchronised"),
             errdetail("The kernel's NTP state says so; idgen.require_clock_sync is \"%s\".",
                       GetConfigOption("idgen.require_clock_sync", false, false)),
             errhint("Start chrony, ntpd or systemd-timesyncd, or set idgen.require_clock_sync to off.")));
}

}  // namespace idgen::pg
