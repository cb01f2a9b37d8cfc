// The settings of idgen.*, as plain values. Names, units and contexts are described where they are defined, in
// settings.cpp; docs/settings.md is their manual.
#pragma once

#include "core/cipher/public_id.hpp"
#include "core/draw/draw_steps.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {

enum class Overflow : int { wait, borrow, error };
enum class RequireClockSync : int { off, warn, on };
enum class Synchronous : int { automatic, required };
enum class OnCopy : int { automatic, warn, refuse };

// Where the node's own shards come from.
enum class ShardsFrom : uint8 {
    list,   // idgen.shards itself
    lease,  // numbers from the registry
    citus,  // the group of the node
};

// What a value of idgen.shards means.
ShardsFrom source_of_shards(std::string_view text) noexcept;

struct Settings {
    int region;
    int overflow;
    int max_lead_ms;
    int horizon_window_ms;
    int clock_error_ms;
    int synchronous;  // as this process last read it; what counts is in SharedState
    int on_copy;
    int max_wait_ms;
    bool batch_copy;
    int max_clock_jump_ms;
    int require_clock_sync;
    int max_slots;
    int max_slots_per_database;  // 0: a quarter of max_slots
    int max_databases;
    const char *machine_generation;
    int64 window_ms;   // horizon_window_ms, for each draw
    int64 watched_ms;  // see draw_order.hpp

    // Rises whenever shards or region change in this process: what was derived from them is old then.
    uint32 generation;
    ShardsFrom shards_from;
    ShardSet shards;             // of a list, else empty
    GucSource shards_source;     // of idgen.shards
    const char *refused_shards;  // what the server's command line says of it, if that is wrong; else null
};

// Hidden, as all that a draw reads: it is reached without a table of addresses.
[[gnu::visibility("hidden")]] extern Settings settings;

void define_settings();
// Says which settings have no effect, and lets the server refuse such names from now on. Where a session loads the library, that is when
// it first needs the shared memory: a comparison of id64 loads the library, too.
void reserve_settings();

// Those of the other kinds of ID; defined by kinds/pg.
void define_kinds_settings();

// What decides about the horizon, and about the clock.
HorizonRules horizon_rules() noexcept;
ClockRules clock_rules() noexcept;

// idgen.shards as it was written; empty if it is unset.
const char *shards_text() noexcept;
inline bool has_shards() noexcept {
    return settings.shards_from != ShardsFrom::list || !settings.shards.empty();
}

// What decides about a draw.
inline DrawRules draw_rules() noexcept {
    auto overflow = static_cast<Overflow>(settings.overflow);
    return {settings.max_lead_ms, settings.max_wait_ms, overflow == Overflow::borrow, overflow == Overflow::error};
}

// The slots that one database may hold.
int slots_per_database() noexcept;

// The setting idgen.keys, and the keys that it holds: the secret of this server's public IDs. Only a superuser may see
// or set it; the functions that use it read it here, so every role may call them. It is defined only if the server
// loads the library when it starts: otherwise the server would not know it as a secret, and would show it to every role
// until a session loads the library. It is refused for a database, a role or a function, because every role can read
// the catalogs that hold such settings. No message shows a key, and if the server would log the value, as it does when
// a reload changes it, it is overwritten.

// The key of that number; 0 means the highest. Raises if there is none.
const CipherKey &key_of(int32 number);

}  // namespace idgen::pg
