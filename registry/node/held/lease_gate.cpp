#include "registry/node/held/lease_gate.hpp"

#include <algorithm>

#include "core/layout/shard_set.hpp"
#include "pg/report/words.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

LeaseSettings lease_settings;

namespace {

constexpr int shortest_ttl_ms = 5000;
// With idgen.max_clock_jump, 10 min by default, it stays below what any registry allows: so a registry that is put back
// to an older state is safe to use again after 15 min.
constexpr int longest_window_ms = 300000;

char *written_registry = nullptr;
char *written_database = nullptr;
char *written_range = nullptr;

void explain_bad_lease_range() {
    GUC_check_errdetail("It must be one shard or one range, such as 0-1023.");
}

void explain_bad_registry() {
    // The value is not repeated: it may hold a password.
    GUC_check_errmsg("idgen.registry is not the address of a registry");
    GUC_check_errdetail("It must begin with postgresql://, etcd:// or etcds://.");
    GUC_check_errhint("Give one, such as postgresql://node@host/registry, or etcd://host:port/prefix.");
}

void explain_bad_ttl() {
    GUC_check_errdetail("It must be 0 or at least 5 s.");
}

// Refuses what no store reads when ALTER SYSTEM says it, or a file that is read again. When the server starts it is
// taken: without a registry it would make IDs of numbers that it has not claimed; with this one it makes none, and says
// why.
bool check_registry(char **value, void **, GucSource) {
    std::string_view text(*value == nullptr ? "" : *value);
    bool is_right =
        text.empty() || scheme_of(text) != RegistryScheme::unknown || process_shared_preload_libraries_in_progress;
    if (!is_right) explain_bad_registry();
    return is_right;
}

void assign_registry(const char *value, void *) {
    lease_settings.registry = value;
    settings.generation++;
}

void assign_database(const char *value, void *) {
    lease_settings.database = value;
}

// One number or one range.
bool check_range(char **value, void **extra, GucSource) {
    std::string_view text(*value == nullptr ? "" : *value);
    ShardRange range;
    ShardSet set;
    bool is_one =
        max_range_count(text) == 1 && parse_shards(text, &range, set).reason == ShardsReason::none && !set.empty();
    auto *parsed = static_cast<NumberRange *>(allocate_guc_extra(sizeof(NumberRange)));
    if (parsed == nullptr) return false;
    *parsed = {range.first, range.last};
    *extra = parsed;
    if (!is_one) explain_bad_lease_range();
    return is_one;
}

void assign_range(const char *, void *extra) {
    lease_settings.range = *static_cast<NumberRange *>(extra);
}

bool check_ttl(int *value, void **, GucSource) {
    bool is_right = *value == 0 || *value >= shortest_ttl_ms;
    if (!is_right) explain_bad_ttl();
    return is_right;
}

// Changed only with a restart: the server writes to its log what a reload has changed.
void define_registry() {
    DefineCustomStringVariable("idgen.registry", "Sets the registry that this server claims its shards from.",
                               "postgresql://... or etcd://host:port,.../prefix; empty: none.", &written_registry, "",
                               PGC_POSTMASTER, GUC_SUPERUSER_ONLY, check_registry, assign_registry, nullptr);
    DefineCustomStringVariable("idgen.lease_database",
                               "Sets the database that remembers which shards this server holds.",
                               "The extension idgen_lease is created there.", &written_database, "postgres",
                               PGC_POSTMASTER, 0, nullptr, assign_database, nullptr);
}

void define_numbers() {
    DefineCustomIntVariable("idgen.lease_count", "Sets how many shards this server holds.",
                            "It applies if idgen.shards is lease.", &lease_settings.count, 1, 1,
                            static_cast<int>(max_leases) / 2, PGC_SIGHUP, 0, nullptr, nullptr, nullptr);
    DefineCustomStringVariable("idgen.lease_range", "Sets the shards that this server may claim.",
                               "One range, such as 0-1023.", &written_range, "0-1023", PGC_SIGHUP, 0, check_range,
                               assign_range, nullptr);
}

void define_times() {
    DefineCustomIntVariable("idgen.lease_ttl", "Sets how long a shard stays with a server that is silent.",
                            "0 means for ever; else at least 5 s.", &lease_settings.ttl_ms, 600000, 0, INT_MAX,
                            PGC_SIGHUP, GUC_UNIT_MS, check_ttl, nullptr, nullptr);
    DefineCustomIntVariable(
        "idgen.lease_window", "Sets how far ahead of the clock the registry lets a server make IDs.",
        "A registry that is away for less than half of it is not noticed.", &lease_settings.window_ms, 60000, 1000,
        longest_window_ms, PGC_SIGHUP, GUC_UNIT_MS, nullptr, nullptr, nullptr);
}

// Of idgen_lease, which defines no setting of its own.
void define_counters() {
    DefineCustomIntVariable("idgen.max_counters",
                            "Sets how many counters of the registry this server can hold numbers of.",
                            "If more are used, the least used one is given up.", &lease_settings.max_counters, 128, 1,
                            65536, PGC_POSTMASTER, 0, nullptr, nullptr, nullptr);
}

SharedLeases &leases() {
    return leases_of(shared_state());
}

const LeaseSettings &settings_of_leases() {
    return lease_settings;
}

ClockReading judged_clock(bool &is_accepted) {
    SharedState *state = shared_state();
    ClockReading clock = watched_clock(state);
    int64 granted_ms = 0;
    unlocked_directory_of(state).databases().for_each([&granted_ms](const SharedDatabase &database) {
        granted_ms = std::max(granted_ms, database.horizon.granted_ms.load());
    });
    is_accepted = judge_clock(state->accepted_clock.accepted_ms, clock, granted_ms, clock_rules()).is_accepted;
    return clock;
}

void move_number(uint32 number, int64 at_ms) noexcept {
    SharedState *state = shared_state();
    Guard<LightLock> guard(state->lock);
    directory_of(state).move_number(number, at_ms);
}

int64 reached_ms() noexcept {
    SharedState *state = shared_state();
    Guard<LightLock> guard(state->lock);
    return directory_of(state).reached_ms();
}

void note_copied() {
    note_copied_machine(shared_state());
}

const LeaseGate gate{leases,     settings_of_leases, lease_rules,      judged_clock, move_number,         reached_ms,
                     save_lease, find_left_lease,    &watched_machine, note_copied,  mark_own_transaction};

}  // namespace

void define_lease_settings() {
    define_registry();
    define_counters();
    define_numbers();
    define_times();
}

bool has_registry() noexcept {
    return lease_settings.registry != nullptr && lease_settings.registry[0] != '\0';
}

LeaseRules lease_rules() noexcept {
    int longest_ms = lease_settings.ttl_ms == 0 ? INT_MAX : lease_settings.ttl_ms / 2;
    return {Min(lease_settings.window_ms, longest_ms), lease_settings.ttl_ms, settings.max_lead_ms};
}

void open_lease_gate() {
    *find_rendezvous_variable(lease_gate_name) = const_cast<LeaseGate *>(&gate);
}

}  // namespace idgen::pg
