#include "pg/state/settings.hpp"

#include <array>

#include "pg/host/cipher.hpp"
#include "pg/host/machine.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

Settings settings;

namespace {

char *written_shards = nullptr;

// The words of an enum's values, in their order.
template <class... Word>
constexpr std::array<config_enum_entry, sizeof...(Word) + 1> words_in_order(Word... words) {
    int value = 0;
    return {{{words, value++, false}..., {nullptr, 0, false}}};
}

constexpr auto overflow_words = words_in_order("wait", "borrow", "error");
constexpr auto clock_sync_words = words_in_order("off", "warn", "on");
constexpr auto synchronous_words = words_in_order("auto", "required");
constexpr auto on_copy_words = words_in_order("auto", "warn", "refuse");

// A number from `least` to `most`, which is `usual` if it is not set.
void define_number(const char *name, const char *sets, const char *says, int *value, int usual, int least, int most,
                   GucContext context, int unit, GucIntAssignHook assign = nullptr) {
    DefineCustomIntVariable(name, sets, says, value, usual, least, most, context, unit, nullptr, assign, nullptr);
}

// One of some words: the value that its enum has at first, if it is not set.
template <class Words>
void define_choice(const char *name, const char *sets, const char *says, int *value, const Words &words,
                   GucContext context, GucEnumAssignHook assign = nullptr) {
    DefineCustomEnumVariable(name, sets, says, value, 0, words.data(), context, 0, nullptr, assign, nullptr);
}

// What check_shards hands to assign_shards: the set, and the ranges it is a view of.
struct ParsedShards {
    ShardSet set;
    ShardsFrom from;
    GucSource source;
    ShardRange ranges[FLEXIBLE_ARRAY_MEMBER];
};

void explain_bad_shards(const ShardsError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    const char *part = clip_text(error.part);
    switch (error.reason) {
        case ShardsReason::reversed:
            GUC_check_errdetail("The range \"%s\" ends before it begins.", part);
            break;
        case ShardsReason::too_large:
            GUC_check_errdetail("\"%s\" is more than %u.", part, max_shard);
            break;
        case ShardsReason::bad_number:
        case ShardsReason::none:
            GUC_check_errdetail("\"%s\" is neither a shard number nor a range.", part);
    }
    GUC_check_errhint("Write shards and ranges, such as '5' or '0-15' or '1,4,8-11', or lease, or citus.");
}

bool check_shards(char **value, void **extra, GucSource source) {
    const char *written = *value == nullptr ? "" : *value;
    std::string_view text(written);
    size_t size = offsetof(ParsedShards, ranges) + max_range_count(text) * sizeof(ShardRange);
    auto *parsed = static_cast<ParsedShards *>(allocate_guc_extra(size));
    if (parsed == nullptr) return false;
    parsed->from = source_of_shards(text);
    if (parsed->from != ShardsFrom::list) text = {};
    ShardsError error = parse_shards(text, parsed->ranges, parsed->set);
    if (error.reason != ShardsReason::none) {
        free_guc_extra(parsed);
        explain_bad_shards(error);
        // Nothing else tells later.
        if (source == PGC_S_ARGV) settings.refused_shards = strdup(written);
        return false;
    }
    parsed->source = source;
    *extra = parsed;
    return true;
}

void assign_shards(const char *, void *extra) {
    const auto *parsed = static_cast<ParsedShards *>(extra);
    settings.shards_from = parsed->from;
    settings.shards = parsed->set;
    settings.shards_source = parsed->source;
    settings.generation++;
}

void assign_window(int window_ms, void *) {
    settings.window_ms = window_ms;
    settings.watched_ms = watched_machine.told == MachineTold::generation ? PG_INT64_MAX : window_ms;
}

char *written_machine = nullptr;

// When the server starts, what is wrong ends it: the setting would be ignored otherwise.
bool check_machine(char **value, void **, GucSource) {
    bool is_right = strcmp(*value, "auto") == 0 || strcmp(*value, "off") == 0 || is_absolute_path(*value);
    if (!is_right) GUC_check_errdetail("It must be auto, off, or the absolute path of a file.");
    return is_right || process_shared_preload_libraries_in_progress;
}

void define_machine() {
    DefineCustomStringVariable(
        "idgen.machine_generation", "Sets where the host of this machine tells that it was resumed from a snapshot.",
        "auto: /dev/vmclock0, if it is there; off: nowhere; or the path of a file of that form.", &written_machine,
        settings.machine_generation, PGC_POSTMASTER, 0, check_machine,
        [](const char *value, void *) { settings.machine_generation = value; }, nullptr);
}

void define_shards() {
    DefineCustomStringVariable(
        "idgen.shards", "Sets the shards that this node owns.",
        "A list of shards and ranges, such as 5 or 0-15 or 1,4,8-11; or lease: shards from idgen.registry; or citus: the group of this node.",
        &written_shards, "", PGC_SUSET, 0, check_shards, assign_shards, nullptr);
    define_number("idgen.region", "Sets the region of this node, the top part of its shard.",
                  "It is put above the shard in layouts that have a region; other layouts need it to be 0.",
                  &settings.region, 0, 0, max_shard, PGC_SUSET, 0, [](int, void *) { settings.generation++; });
}

void define_draws() {
    define_choice(
        "idgen.overflow", "Sets what a session does when a tick has no ID left.",
        "wait: sleep until the next tick; borrow: use ticks ahead of the clock, up to idgen.max_lead; error: raise an error.",
        &settings.overflow, overflow_words, PGC_USERSET);
    define_number("idgen.max_wait", "Sets the longest wait for one ID or one block.", "A longer wait is an error.",
                  &settings.max_wait_ms, 5000, 0, INT_MAX, PGC_USERSET, GUC_UNIT_MS);
    define_number("idgen.max_lead", "Sets how far the time of an ID may lie ahead of the clock.",
                  "A lead comes from a clock that stepped back, from a restart, or from borrowing.",
                  &settings.max_lead_ms, 1000, 0, 60000, PGC_SIGHUP, GUC_UNIT_MS);
    DefineCustomBoolVariable(
        "idgen.batch_copy", "Sets whether COPY inserts rows in batches if a default makes their IDs.",
        "It does so for nextval() by itself.", &settings.batch_copy, true, PGC_USERSET, 0, nullptr, nullptr, nullptr);
}

void define_horizon() {
    define_number("idgen.max_clock_jump", "Sets the largest forward jump of the clock that is accepted.",
                  "A larger one stops ID generation until the clock is right again or idgen.accept_clock() is called.",
                  &settings.max_clock_jump_ms, 600000, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_MS);
    define_choice("idgen.require_clock_sync", "Sets whether the kernel must say that its clock is synchronized.",
                  "warn: a warning at most once a minute; on: an error.", &settings.require_clock_sync,
                  clock_sync_words, PGC_SIGHUP);
    define_number("idgen.horizon_window", "Sets how far ahead of the clock IDs are made durable at once.",
                  "The durable horizon is written once in half of it, while IDs are made.", &settings.horizon_window_ms,
                  1000, 100, 60000, PGC_SIGHUP, GUC_UNIT_MS, assign_window);
    define_number(
        "idgen.clock_error", "Sets how far the clocks of this node's successors may be off.",
        "After a failover without synchronous replication, or a restore, the first ID waits for twice this time.",
        &settings.clock_error_ms, 500, 0, 600000, PGC_SIGHUP, GUC_UNIT_MS);
    define_choice(
        "idgen.synchronous", "Sets whether IDs need a synchronous standby.",
        "auto: if synchronous_standby_names is set, windows are granted once the standbys have flushed them; required: without such standbys no ID is made.",
        &settings.synchronous, synchronous_words, PGC_SIGHUP, [](int value, void *) { publish_synchronous(value); });
    define_choice(
        "idgen.on_copy", "Sets what happens in a database that is a copy of another server's and keeps its shards.",
        "warn: report it in the log and in idgen.status(); refuse: make no IDs, until idgen.confirm_shards() is called; auto: refuse on a server that pg_createsubscriber made, else warn.",
        &settings.on_copy, on_copy_words, PGC_SIGHUP);
}

// Shared memory is sized once: without preload these keep their defaults.
void define_sizes() {
    define_number("idgen.max_slots", "Sets the number of shards in use that the server can hold.",
                  "One slot for each shard of each database and packing; some 132 bytes of memory each.",
                  &settings.max_slots, settings.max_slots, 4, 4194304, PGC_POSTMASTER, 0);
    define_number("idgen.max_slots_per_database", "Sets the number of slots that one database can hold.",
                  "0 means a quarter of idgen.max_slots.", &settings.max_slots_per_database, 0, 0, 4194304, PGC_SIGHUP,
                  0);
    define_number("idgen.max_databases", "Sets the number of databases of the server that can make IDs.",
                  "Each takes some 1.4 kB of memory; dropped ones do not count.", &settings.max_databases,
                  settings.max_databases, 1, 262144, PGC_POSTMASTER, 0);
}

// Reports those that are set and not defined.
void warn_of_useless_settings() {
    for (const char *name : {"idgen.max_slots", "idgen.max_slots_per_database", "idgen.max_databases",
                             "idgen.machine_generation", "idgen.keys", "idgen.registry"})
        if (GetConfigOption(name, true, false) != nullptr)
            ereport(WARNING, errcode(ERRCODE_WARNING), errmsg("%s has no effect here", name),
                    errdetail("This setting exists only where the server loads the library when it starts; elsewhere, "
                              "every role can read the value by SHOW."),
                    errhint("Add idgen to shared_preload_libraries and restart%s.",
                            strcmp(name, "idgen.keys") == 0 ? "; then put other keys in place of these" : ""));
}

char *keys_text = nullptr;
KeyRing ring;
bool is_defined = false;
emit_log_hook_type next_log_hook = nullptr;

// Whether a value comes from a catalog, or is about to go into one: then its source is the server's test.
bool is_from_catalog(GucSource source) noexcept {
    return source == PGC_S_TEST || source == PGC_S_GLOBAL || source == PGC_S_DATABASE || source == PGC_S_USER ||
           source == PGC_S_DATABASE_USER;
}

void explain_bad_keys(const KeysError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    // The server's own message would print the keys.
    GUC_check_errmsg("invalid value for parameter \"%s\"", "idgen.keys");
    switch (error.reason) {
        case KeysReason::no_number:
            GUC_check_errdetail("Key %u of the list has no number and colon in front.", error.item);
            break;
        case KeysReason::bad_number:
            GUC_check_errdetail("The number of key %u of the list is not from 1 to %u.", error.item, max_key_number);
            break;
        case KeysReason::repeated_number:
            GUC_check_errdetail("Key %u of the list has the number of another one.", error.item);
            break;
        case KeysReason::bad_digit:
            GUC_check_errdetail("Key %u of the list has a character that is not a hexadecimal digit.", error.item);
            break;
        case KeysReason::too_many:
            GUC_check_errdetail("The list has more than %u keys.", max_keys);
            break;
        case KeysReason::bad_size:
        case KeysReason::none:
            GUC_check_errdetail("Key %u of the list does not have 32, 48 or 64 hexadecimal digits.", error.item);
    }
    GUC_check_errhint("Write a list of numbers and AES keys in hexadecimal: 'number:key' or 'number:key,number:key'.");
}

bool check_keys(char **value, void **, GucSource source) {
    if (*value == nullptr || **value == '\0') return true;
    if (is_from_catalog(source)) {
        GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
        GUC_check_errmsg("\"%s\" cannot be set for a database, a role or a function", "idgen.keys");
        GUC_check_errdetail("Everybody can read such settings in the catalogs.");
        GUC_check_errhint("Set it in a file of the server's configuration or by ALTER SYSTEM, and reload.");
        return false;
    }
    KeyRing parsed;
    KeysError error = parse_keys(*value, parsed);
    explicit_bzero(&parsed, sizeof(parsed));
    if (error.reason != KeysReason::none) explain_bad_keys(error);
    return error.reason == KeysReason::none;
}

// Takes a value that check_keys found right.
void assign_keys(const char *value, void *) {
    explicit_bzero(&ring, sizeof(ring));
    wipe_ciphers();
    parse_keys(value == nullptr ? "" : value, ring);
}

// Overwrites the keys in what is about to be logged: a reload logs the new value of each setting that changed.
void mask_keys(ErrorData *report) {
    bool has_keys = keys_text != nullptr && *keys_text != '\0';
    if (char *found = has_keys && report->message != nullptr ? strstr(report->message, keys_text) : nullptr)
        memset(found, '*', strlen(keys_text));
    if (next_log_hook != nullptr) next_log_hook(report);
}

void define_keys() {
    is_defined = true;
    next_log_hook = emit_log_hook;
    emit_log_hook = mask_keys;
    DefineCustomStringVariable(
        "idgen.keys", "Sets the keys of public IDs.",
        "A list of numbers and AES keys in hexadecimal, such as 1:000102030405060708090a0b0c0d0e0f; the key of the highest number is used unless another is asked for.",
        &keys_text, "", PGC_SUSET, GUC_SUPERUSER_ONLY, check_keys, assign_keys, nullptr);
}

}  // namespace

void define_settings() {
    settings.max_slots = 16384;
    settings.max_databases = 1000;
    settings.machine_generation = "auto";
    if (process_shared_preload_libraries_in_progress) define_machine();
    watch_machine(settings.machine_generation);
    define_shards();
    define_kinds_settings();
    define_draws();
    define_horizon();
    if (process_shared_preload_libraries_in_progress) {
        define_sizes();
        define_keys();
        define_lease_settings();
        reserve_settings();
    }
}

void reserve_settings() {
    // A parallel worker's leader has reported them already.
    if (!process_shared_preload_libraries_in_progress && !IsParallelWorker()) warn_of_useless_settings();
    MarkGUCPrefixReserved("idgen");
}

ShardsFrom source_of_shards(std::string_view text) noexcept {
    if (text == "lease") return ShardsFrom::lease;
    return text == "citus" ? ShardsFrom::citus : ShardsFrom::list;
}

HorizonRules horizon_rules() noexcept {
    return {settings.horizon_window_ms, settings.max_lead_ms, settings.clock_error_ms};
}

ClockRules clock_rules() noexcept {
    return {settings.max_clock_jump_ms, horizon_rules().farthest_ms()};
}

const char *shards_text() noexcept {
    return written_shards;
}

int slots_per_database() noexcept {
    int share = settings.max_slots_per_database;
    return share == 0 ? settings.max_slots / 4 : Min(share, settings.max_slots);
}

const CipherKey &key_of(int32 number) {
    const CipherKey *key = number == 0 ? ring.highest() : ring.find(static_cast<uint32>(number));
    if (ring.count == 0)
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.keys is not set"),
            errdetail("Public IDs are made and read with a key of the server."),
            is_defined
                ? errhint(
                      "Let a superuser make a key (openssl rand -hex 32) and set it: ALTER SYSTEM SET idgen.keys = '1:...'; SELECT pg_reload_conf()")
                : errhint(
                      "Add idgen to shared_preload_libraries and restart: without that, the server would show the keys to everybody. Then set idgen.keys."));
    if (key == nullptr)
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no key %d", number),
            errdetail(
                "idgen.keys has no key of that number. Its numbers are not shown, because not every role may know them."),
            errhint("Ask for the number of a key, or let a superuser add it to idgen.keys."));
    return *key;
}

}  // namespace idgen::pg
