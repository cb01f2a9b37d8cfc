// All that idgen.status() looks at, gathered once: the horizon's page, clocks, standbys, slots, and the numbers of this
// server from a registry. Only looks.
#pragma once

#include "core/horizon/renewal.hpp"
#include "core/layout/layout.hpp"
#include "core/reading/settled.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/open_schemas.hpp"
#include "pg/monitor/outlook.hpp"
#include "pg/monitor/statistics.hpp"
#include "pg/number/numbers.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// A number that two databases of this server use in one packing.
struct Twin {
    Oid database;  // the other one
    uint32 shard;
    Layout layout;  // as this one calls it
};

// Why the clock must be right within idgen.clock_error, or need not be. A failover or restore that loses renewals of
// the horizon begins IDs at the clock.
enum class ClockUse {
    setting,      // idgen.require_clock_sync asks for it
    registry,     // numbers come from one: no failover rests on the clock
    synchronous,  // nor does one to a standby that has every renewal
    promotion,    // this server is a standby
    standby,      // it has one
    archive,      // or its WAL is archived
    none          // no other server can take over
};

inline bool is_clock_judged(ClockUse use) noexcept {
    return use != ClockUse::registry && use != ClockUse::synchronous && use != ClockUse::none;
}

// What there is to know of this database's ID making and of what it rests on: clocks, horizon, standbys, slots. Only
// looks: it works on a standby, without the library loaded at the start, and if IDs are refused.

struct Survey {
    bool is_loaded;     // else only `in_recovery`, page, kernel clock, standbys and schemas are known
    bool is_preloaded;  // by shared_preload_libraries
    bool in_recovery;
    int64 now_ms;
    const char *extension;  // version of the extension's SQL; null: not installed

    Renewal page;            // granted: it can be read
    DurableRecord record;    // if there is one
    Renewal origin_read;     // granted: whether the database came from another server is known
    int64 foreign_origin;    // the system identifier of that one; 0: none
    int64 copied_from;       // system identifier of the origin whose shards this database keeps; 0: it is not a copy
    bool is_resumed;         // its machine is a copy of the one whose shards it keeps
    uint32 machine_copied;   // how often this machine was seen to be a copy since the server started
    bool is_clock_doubtful;  // what the kernel says of the clock is of before the machine was moved
    int64 horizon_ms;        // if readable; 0 else
    uint64 renewals;         // since the server started
    int64 renewed_ms;        // 0: not since the server started
    int64 advanced_ms;       // where idgen.advance() moved it to; 0: nowhere since the server started
    uint32 stall_ms;         // how long renewals have been asked for in vain
    uint64 arrived_others;   // rows that triggers counted (pg/state/arrivals.hpp)
    uint64 arrived_perhaps;
    int64 arrived_id;
    uint64 arrived_place;

    bool has_settled;  // what is settled is known: not on a standby
    Settled settled;
    int64 told_until;        // up to where the page says that all is settled (core/horizon/pair_list.hpp)
    uint32 holder_pid;       // of the process that holds it back
    TimestampTz held_since;  // the start of its transaction; 0: not known

    int64 lead_ms;                            // of the slot furthest ahead of the clock; 0: none is ahead
    Layout ending;                            // the layout in use that ends first; the default one if none is in use
    int64 end_ms;                             // when
    uint32 slots, slots_limit;                // of this database
    uint32 server_slots, server_slots_limit;  // of all
    uint32 server_databases, server_databases_limit;  // that made IDs since the server started
    bool others_used;                                 // no more slots but for the node's own shards in presets
    bool has_narrow;     // a layout in use lacks a shard of idgen.shards; if none is in use, the default
    Layout narrow;       // such a one
    Layout usual;        // the default layout; if that is not in use, another one with shards that is
    bool has_shardless;  // a layout without a shard is in use
    Layout shardless;    // such a one

    bool has_accepted_clock;  // since the server started
    int64 clock_offset_ms;    // of the clock against the highest accepted difference
    uint64 steps_forward, steps_back;
    ClockState kernel;
    ClockUse clock_use;

    bool has_standby_names;  // synchronous_standby_names is set
    bool lacks_standbys;     // idgen.synchronous asks for them, and it is not
    uint32 standbys;         // synchronous ones that are connected

    OpenSchemas schemas;

    Outlook outlook;  // if it is loaded, and not on a standby

    const LeaseSurvey *leases;  // null: idgen.registry is not set, or the library is not loaded
    Twin twin;                  // a slot of another database, with number and packing of one of this database's
    const char *twin_name;      // of that database; null: there is no such slot
};

// How far what is settled lies behind the clock. A tick that a transaction draws from ahead of the clock is not a lag.
inline int64 settled_lag_ms(const Survey &survey) noexcept {
    return Max(survey.now_ms - survey.settled.until_ms, 0);
}

// Whether the node's group in Citus may be that of the origin whose promoted clone this server is (pg/draw/own_group.hpp).
bool is_group_doubtful(const Survey &survey);

// Looks at everything.
Survey take_survey();

}  // namespace idgen::pg
