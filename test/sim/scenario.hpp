// What a seed decides before the first event: servers, clocks, layouts, rules; and what safety rests on.
//
// - Clocks are arbitrary where safety rests on the durable horizon alone: a single server, or synchronous
//   replication where every quorum that acknowledges meets every set from which a server is promoted. They
//   stay within the clock error where it rests on them: asynchronous failover, whose old primary is dead,
//   and point-in-time restore. A machine may boot with a slow clock even there, but what a server owes is
//   paid by a clock that was set right before.
// - A horizon that a stranger lowered needs tame clocks only if the server crashes before its own record is
//   durable again; where clocks are wild it does not. If a standby takes over before that, the old primary is
//   dead: what it was granted nothing else says. Nor is one lowered while an old primary lives.
// - Settings are the same on all servers, but a session may not have read a change yet. The lead is lowered only if
//   clocks are wild: debts are computed with it. It is raised where all clocks are right: it would admit what a slow
//   one owes too early.
// - Fewer generators of DecimalIds are lost in a failover than are skipped.
// - What a database that was dropped had made is known to the running server alone: where that forgets it
//   before a record above it is durable, the new database is another, and its IDs may be the same.
// - A copy whose origin lives on makes IDs of its own where somebody confirmed them, or its shards are
// others.
// - Somebody who lowers a horizon says the truth, has set the clock right, and has stopped the clients.
// - A copy of a machine and its memory, whose host tells, makes no IDs before somebody confirms it, as long as the server
//   runs that was copied, or its record tells it from its origin: not after a start if the record is of another boot, or
//   of no machine, as CREATE EXTENSION and setval leave it; nor after a failover of the copy. Then its IDs may be those of its origin. If that ended before the copy
//   began, they are not, as far as the clocks were right and few generators were taken. A host whose machine boots does
//   not count as it did for the origin.
// - Where numbers come from a registry none of this is needed but the truth: clocks are arbitrary, its own
//   too, old primaries live on, and so do copies of a disk. A registry that is put back to an older state is
//   advanced above all that it ever granted. It hands out shards: clocks and DecimalIds are left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/draw/draw_steps.hpp"
#include "core/horizon/renewal.hpp"
#include "core/layout/packing.hpp"
#include "random.hpp"
#include "registry/node/rules/lease.hpp"

namespace idgen::sim {

enum class Replication { none, asynchronous, synchronous };

// Whether machines are copied with their memory, and their hosts tell.
enum class Machines { alone, copied, told };

// How a seed is run.
struct Manner {
    bool has_registry = false;
    Machines machines = Machines::alone;
    bool judges_bounds = true;  // else only duplicates are failures
    bool is_traced = false;

    bool is_told() const noexcept { return machines == Machines::told; }
    // As the program is called.
    std::string options() const {
        constexpr const char *copies[] = {"", "--untold ", "--copies "};
        return std::string(has_registry ? "--registry " : "") + copies[static_cast<int>(machines)];
    }
};

constexpr int max_layouts = 2;
constexpr int max_sessions = 5;
constexpr int max_databases = 2;
constexpr int max_nodes = 4;
constexpr int max_numbers = 4;
constexpr int last_misfortune = 13;               // of numbers
constexpr std::int64_t start_ms = 1767225600000;  // 2026-01-01

// What may change during a run.
struct Settings {
    HorizonRules rules;
    DrawRules draw;
    std::int64_t max_jump_ms;
    std::uint32_t shard_count;  // of the pool
    bool admits_copy;
    std::uint32_t generation;
};

struct Scenario {
    Replication replication;
    bool has_wild_clocks;
    bool has_strangers;
    bool has_lowering;  // a stranger may lower the horizon
    bool has_restores;
    bool has_right_registry;  // its clock is always right
    bool has_copies;
    bool has_new_databases;  // databases are dropped and created again
    bool has_admin;          // idgen.advance, idgen.reset, idgen.accept_clock
    bool has_new_settings;
    bool resets_to_last;     // who resets a horizon does not say to where
    LeaseRules lease_rules;  // its window is 0 if shards are given by hand, without a registry
    Machines machines;
    bool admits_resumed;         // a copied machine goes on with its shards
    std::int64_t copy_interval;  // events between copies of all machines, about
    std::int64_t lost_one_in;    // calls, and answers
    std::int64_t keeper_speed;   // steps of keepers between two of sessions, at most
    int favourite;               // the misfortune of numbers that happens most
    int number_count;            // that the registry hands out
    int pool_count;              // of them, those of the server's own choice; 0: they are given by hand
    Settings settings;
    Layout layouts[max_layouts];
    Packing packings[max_layouts];
    int layout_count;
    bool shares_slots;  // two layouts that differ in their ends
    // Sessions are descheduled and fail in more places, have two sources, give blocks row by row, read settings late.
    bool has_rough_sessions;
    int node_count;
    int quorum;  // standbys that must acknowledge
    int database_count;
    int session_count;
    std::uint32_t slot_count;
    std::uint32_t share;  // slots that a database may hold
    std::int64_t slot_idle_ms;
    std::int64_t unit_ms;  // of the first layout, or 1: the scale of everything
    std::int64_t unit_us;  // of the first layout: how time passes
    std::int64_t events;
    std::int64_t disaster_interval;  // events between disasters, about
    std::int64_t time_interval;      // events between moves of time, about
    std::int64_t prepare_interval;   // looks of a session at whether its standby has what it prepares

    bool has_registry() const noexcept { return lease_rules.window_ms != 0; }
    // The kind that has the slots, and so the IDs, of another.
    int slots_of(int kind) const noexcept { return shares_slots && kind < max_layouts ? 0 : kind; }
};

// A layout so small that two IDs of the same instant soon meet.
inline Layout small_layout(Random &random, std::int64_t unit_us) noexcept {
    Layout layout{};
    layout.epoch_ms = start_ms - 1000 * random.between(0, 1000000) - random.between(0, 999);
    layout.set_unit_us(unit_us);
    layout.time_bits = unit_us < 1000 ? 51 : 41;
    layout.shard_bits = static_cast<std::uint8_t>(random.between(1, 2));
    layout.sequence_bits = static_cast<std::uint8_t>(random.between(1, 3));
    if (random.one_in(3)) layout.flags |= Layout::sequence_above;
    if (random.one_in(4)) layout.flags |= Layout::sequence_from_1;
    return layout;
}

inline void choose_layouts(Scenario &s, Random &random) noexcept {
    constexpr std::int64_t units_us[] = {1, 10, 100, 1000, 10000, 1000000};
    std::uint32_t smallest_pool = 4;
    s.layout_count = static_cast<int>(random.between(1, max_layouts));
    for (int i = 0; i < s.layout_count; i++) {
        s.layouts[i] = small_layout(random, units_us[random.between(0, 5)]);
        s.packings[i] = packing_of(s.layouts[i]);
        smallest_pool = std::min(smallest_pool, s.packings[i].shard_last + 1);
    }
    s.unit_us = s.packings[0].unit_us;
    s.unit_ms = std::max<std::int64_t>(1, s.unit_us / 1000);
    s.settings.shard_count = static_cast<std::uint32_t>(random.between(1, smallest_pool));
}

inline void choose_settings(Scenario &s, Random &random) noexcept {
    s.settings.rules = {s.unit_ms * random.between(1, 30), s.unit_ms * random.between(0, 12),
                        s.unit_ms * random.between(0, 12)};
    s.settings.draw = {s.settings.rules.max_lead_ms, s.unit_ms * random.between(0, 60), random.one_in(2),
                       random.one_in(4)};
    s.settings.max_jump_ms = random.one_in(2) ? s.unit_ms * random.between(1, 60) : 1000000000000;
    s.settings.admits_copy = random.one_in(2);
}

// What goes wrong, where it may.
inline void choose_dangers(Scenario &s, Random &random) noexcept {
    bool may_be_wild = s.replication != Replication::asynchronous;
    s.has_wild_clocks = may_be_wild && random.between(0, 3) != 0;
    s.has_strangers = random.one_in(4);
    s.has_lowering = s.has_strangers && (!s.has_wild_clocks || s.replication == Replication::none);
    s.has_restores = !s.has_wild_clocks && random.one_in(3);
    s.has_copies = random.one_in(5);
    s.has_new_databases = random.one_in(4);
    s.has_admin = random.one_in(2);
    s.has_new_settings = random.one_in(3);
}

inline void choose_sizes(Scenario &s, Random &random) noexcept {
    s.node_count = s.replication == Replication::none ? 1 : static_cast<int>(random.between(2, max_nodes));
    s.quorum = s.node_count < 2 ? 0 : static_cast<int>(random.between(1, s.node_count - 1));
    if (s.has_copies && s.node_count == 1) s.node_count++;
    s.database_count = static_cast<int>(random.between(1, max_databases));
    s.session_count = static_cast<int>(random.between(1, max_sessions));
    s.slot_count = static_cast<std::uint32_t>(random.between(2, 10));
    s.share = s.slot_count;
    if (random.one_in(2)) s.share = static_cast<std::uint32_t>(random.between(1, s.slot_count));
    s.slot_idle_ms = s.unit_ms * random.between(0, 2);
    s.events = random.between(1000, 4000);
    s.disaster_interval = random.between(20, 200);
    s.time_interval = random.between(3, 25);
}

// Few numbers, few IDs a tick, and windows of a few ticks, so that two servers soon meet.
inline void choose_registry_sizes(Scenario &s, Random &random) noexcept {
    if (!random.one_in(4)) s.layout_count = s.database_count = 1;
    for (int i = 0; i < s.layout_count; i++) {
        s.layouts[i].shard_bits = 2;
        s.layouts[i].sequence_bits = 1;
        s.packings[i] = packing_of(s.layouts[i]);
    }
    s.node_count = static_cast<int>(random.between(2, max_nodes));
    s.quorum = std::min(s.quorum, s.node_count - 1);
    s.number_count = static_cast<int>(random.between(1, max_numbers));
    s.pool_count = random.one_in(2) ? 0 : static_cast<int>(random.between(1, 2));
    s.settings.shard_count = static_cast<std::uint32_t>(random.between(1, s.number_count));
    s.session_count = static_cast<int>(random.between(2, max_sessions));
    s.time_interval = random.between(3, 25);
}

// Numbers come from a registry, and anything may go wrong.
inline void choose_registry(Scenario &s, Random &random) noexcept {
    choose_registry_sizes(s, random);
    s.settings.rules.window_ms = s.unit_ms * random.between(2, 40);
    s.settings.rules.max_lead_ms = s.settings.draw.max_lead_ms = s.unit_ms * random.between(0, 16);
    s.settings.draw.may_borrow = !random.one_in(4);
    s.lease_rules.window_ms = s.unit_ms * random.between(2, 16);
    s.lease_rules.ttl_ms = random.one_in(16) ? 0 : s.unit_ms * random.between(1, 40);
    s.lost_one_in = random.one_in(4) ? 2 : random.between(3, 12);
    s.keeper_speed = random.between(2, 12);
    s.favourite = static_cast<int>(random.between(0, last_misfortune));
    s.has_wild_clocks = random.one_in(2);
    s.has_restores = random.one_in(3);
    s.has_copies = true;
    s.has_right_registry = random.one_in(2);
}

// Where machines are copied.
inline void choose_machines(Scenario &s, Random &random) noexcept {
    s.admits_resumed = random.one_in(6);
    s.copy_interval = s.events / random.between(2, 6);
}

// In some seeds a second layout shares the slots of the first, and ends in the middle. The other seeds draw the same
// numbers as without that.
inline void choose_end(Scenario &s, std::uint64_t seed) noexcept {
    s.shares_slots = seed % 24 == 21;
    if (!s.shares_slots) return;
    Random random(seed);
    std::int64_t unit_us = s.layouts[0].unit_us();
    std::uint8_t time_bits = 20;
    while (unit_us << time_bits < 1000000000000) time_bits++;
    s.layouts[0].epoch_ms = start_ms + s.unit_ms * random.between(0, 200) - (unit_us << time_bits) / 1000;
    s.layouts[1] = s.layouts[0];
    s.layouts[1].time_bits = time_bits;
    s.layout_count = 2;
    for (int i = 0; i < 2; i++) s.packings[i] = packing_of(s.layouts[i]);
    s.settings.shard_count = std::min(s.settings.shard_count, s.packings[0].shard_last + 1);
}

// In a fifth of the seeds, which has none of those that mutants are looked for at (mutants): for some guards, no other
// seed among millions notices. The other seeds draw the same numbers as without that.
inline void choose_sessions(Scenario &s, std::uint64_t seed) noexcept {
    s.has_rough_sessions = seed % 10 == 1 || seed % 10 == 4;
    // A source of generation 0 is stale.
    if (s.has_rough_sessions) s.settings.generation = 1;
}

inline Scenario scenario_of(std::uint64_t seed, Random &random, const Manner &manner) noexcept {
    Scenario s{};
    s.resets_to_last = seed % 4 == 3;
    s.replication = static_cast<Replication>(random.between(0, 2));
    choose_layouts(s, random);
    choose_settings(s, random);
    choose_dangers(s, random);
    choose_sizes(s, random);
    if (manner.has_registry) choose_registry(s, random);
    choose_end(s, seed);
    choose_sessions(s, seed);
    s.prepare_interval = random.one_in(3) ? 40 : 3;
    s.machines = manner.machines;
    if (s.machines != Machines::alone) choose_machines(s, random);
    return s;
}

}  // namespace idgen::sim
