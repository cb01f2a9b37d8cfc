// Words that several messages share, or idgen.status(), too: names as text, advice, and why no ID is made.
#pragma once

#include "core/horizon/renewal.hpp"
#include "core/layout/layout.hpp"
#include "core/text/duration.hpp"
#include "core/text/text_part.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// The text of a layout.
struct LayoutName {
    char text[layout_text_size + 1];
    explicit LayoutName(const Layout &layout) { text[print_layout(layout, text)] = '\0'; }
};

inline char *copy_text(std::string_view text) {
    return pnstrdup(text.data(), text.size());
}

// The beginning of a text that may be long, in whole characters.
inline char *clip_text(std::string_view text) {
    constexpr int most = 100;
    int size = static_cast<int>(text.size());
    int kept = pg_mbcliplen(text.data(), size, most);
    return psprintf("%.*s%s", kept, text.data(), kept < size ? "..." : "");
}

// The character that begins at a byte of a text.
inline char *character_at(std::string_view text, size_t position) {
    std::string_view rest = tail_of(text, position);
    int size = pg_mbcharcliplen(rest.data(), static_cast<int>(rest.size()), 1);
    return copy_text(head_of(rest, static_cast<size_t>(size)));
}

// A duration: "1.500 s", "2 h 5 min"; one that is past by now is 0.
inline char *duration_text(int64 ms) {
    char text[max_duration_size];
    return copy_text({text, print_duration(Max(ms, 0), text)});
}

static_assert(year_2000_ms == int64{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * (SECS_PER_DAY * int64{1000}),
              "an instant in us is a timestamptz");

inline char *instant_text(int64 unix_ms) {
    return pstrdup(timestamptz_to_str(us_of(unix_ms)));
}

// The length of a layout's tick.
inline char *unit_text(const Layout &layout) {
    bool is_in_us = layout.has(Layout::unit_in_us);
    return psprintf("%lld %s", static_cast<long long>(is_in_us ? layout.unit_us() : layout.unit),
                    is_in_us ? "us" : "ms");
}

// What the catalog and messages call a durable record.

// The sequence behind which a record lies, in the schema of the extension idgen.
constexpr const char *name_of(Record kind) noexcept {
    return kind == Record::horizon ? "horizon" : "generator";
}
// The same, with the name that the schema has from the install script.
constexpr const char *sequence_of(Record kind) noexcept {
    return kind == Record::horizon ? "idgen.horizon" : "idgen.generator";
}

constexpr const char *time_between_hint = "Give a time in between.";
constexpr const char *finite_hint = "Give a finite timestamp.";
constexpr const char *right_layout_hint = "Give the layout that the ID was made with.";
// If the clock is behind by that much; nobody sits in a call for longer than a minute.
constexpr const char *behind_hint(int64 lead_ms) noexcept {
    return lead_ms <= 60000 ? "Correct the clock, or increase idgen.max_wait to wait for it."
                            : "Correct the clock; or, if it is right now, wait until it has passed that time.";
}
constexpr const char *far_horizon_hint =
    "Correct the clock if it is behind. If a wrong clock or idgen.advance() moved the horizon, wait for that time, or have a superuser call idgen.reset(at, force => true), at being above the time of the last ID.";
constexpr const char *advanced_hint =
    "Wait for that time; or, if it was a mistake, have a superuser call idgen.reset().";
constexpr const char *accept_clock_hint =
    "Correct the clock; or, if it is right now, have a superuser call idgen.accept_clock().";
constexpr const char *uncertain_hint =
    "Have chrony or ntpd ask nearer servers, or ask more often; or increase idgen.clock_error on all nodes that may succeed one another.";
constexpr const char *confirm_shards_hint =
    "Give this server shards that no other one has, in idgen.shards, and let its sessions reconnect, unless the others make no more IDs; then have a superuser call idgen.confirm_shards() in each database.";
constexpr const char *machine_denied_hint =
    "Let the server read it: the packages of idgen bring a rule for udev, and containers need the device. Or set idgen.machine_generation to off.";
constexpr const char *no_registry_hint =
    "ALTER SYSTEM SET idgen.registry = '...' and restart, or set idgen.shards to the shards of this node.";
constexpr const char *see_registry_hint =
    "SELECT * FROM idgen.status() says how the registry is; idgen.max_wait is the longest wait.";

// What to do if a registry has lost horizons; by palloc.
inline const char *older_registry_hint(int64 granted_ms) {
    return psprintf(
        "Advance it now, to an instant above %s: idgen_registry.advance(at => now() + '15 min') there, or with etcd idgen_lease.advance_registry(at => now() + '15 min') on a node. Until then other servers can make IDs again.",
        instant_text(granted_ms));
}

// Why no ID is made: an error has it as message, DETAIL and HINT, and idgen.status() as value and advice of the row that
// it names. Texts are constants or by palloc.
struct Refusal {
    int code;  // the SQLSTATE
    const char *what;
    const char *detail;
    const char *advice;
    const char *row;  // of idgen.status()
};

inline void say(int level, const Refusal &refusal) {
    ereport(level, errcode(refusal.code), errmsg("%s", refusal.what), errdetail("%s", refusal.detail),
            errhint("%s", refusal.advice));
}

[[noreturn]] inline void raise(const Refusal &refusal) {
    say(ERROR, refusal);
    pg_unreachable();
}

// Advice to have the server load the modules when it starts: the statement that keeps what is loaded now, and adds the
// library. It goes before what postgresql.conf says. Palloc'ed, as a sentence. To a role that may not read the setting
// it says only what a superuser has to do.
const char *preload_hint();
// The same with idgen_lease behind it.
const char *preload_lease_hint();
// That for the server's log, from a process without a role.
const char *preload_lease_hint_for_log();
// The same where the process of idgen_lease does not run: the module may be loaded.
const char *keeper_hint();
// Advice to set idgen.registry: that given, or where it cannot be set yet, the same as preload_lease_hint().
const char *registry_hint(const char *if_loaded);

}  // namespace idgen::pg
