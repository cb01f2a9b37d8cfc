// All that idgen.status() looks at, gathered once: the horizon's page, clocks, standbys, slots, and the numbers of this
// server from a registry. Only looks: it works on a standby, without the library loaded at the start, and if IDs are
// refused.
#pragma once

#include "pg/host/citus_node.hpp"
#include "pg/host/own_extension.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Copies of the slots and of what backends draw, for statistics. Each slot is read under its own lock and no other, so
// a row is true in itself, the rows together are of slightly different instants, and no session that draws waits longer
// than for the copy of one slot.

// Whose a slot is.
struct SlotOwner {
    Layout layout;  // the first that it was used with; layouts that pack alike share a slot
    uint32 shard;   // as it is packed
    bool is_clock;  // the hybrid logical clock of its database; else a shard
};

struct SlotCopy {
    SlotKey key;
    LayoutForm form;
    SlotUse use;
    Slot slot;
    uint64 waits;
    uint64 wait_us;
    uint32 max_lead_ms;
};

struct SlotCopies {
    SlotCopy *rows;  // by palloc
    uint32 count;
};

// The slots in use, of all databases.
SlotCopies copy_slots(SharedState *state);

inline bool is_of_database(const SlotCopy &copy, Oid database) noexcept {
    return copy.key.database == database;
}
SlotOwner owner_of(const SlotCopy &copy) noexcept;

// Counts those of this session's database, and all.
void count_slots(const SlotCopies &slots, SlotCounts &database, SlotCounts &server) noexcept;

struct BackendCopy {
    uint32 pid;
    Oid database;
    Oid user;
    uint64 ids;
    uint64 last_id;  // 0: none
    uint64 waits;
    uint64 wait_us;
    int64 announced_ms;  // from where it draws in the transaction that it is in; 0: it has drawn nothing in it
    bool has_slot;       // false: no slot made the last, or it was given to another shard since
    SlotOwner owner;     // of that slot
};

// Whether the entry is of a live backend that made IDs; copies it.
bool copy_backend(SharedState *state, uint32 number, BackendCopy &copy) noexcept;

// Whether a process that made no ID itself is in a transaction for which its parallel workers have; copies what is
// known of it.
bool copy_leader(SharedState *state, uint32 process, BackendCopy &copy) noexcept;

// A number that two databases of this server use in one packing.
struct Twin {
    uint32 shard;
    Layout layout;  // as this database calls it
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

// Whether a session of this database can make an ID now, with the settings that the caller has, the default layout, or
// one in use if that is not, and the shards that the node owns.
struct Outlook {
    bool makes_ids;
    bool awaits_number;  // it makes them as soon as the registry grants a number, and nothing speaks against that
    Refusal refusal;     // why it makes none
    int64 found_ms;      // when a session found that, which a look cannot; 0: by the look
};

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
    uint64 arrived_others;   // rows that triggers counted (pg/state/shared_state.hpp)
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

// The node among those of Citus; doubtful if its group may be that of the origin whose promoted clone this server is
// (pg/draw/refusals.hpp).
CitusNode surveyed_node(const Survey &survey);

// By a draw in the order of every draw (core/draw/draw_order.hpp), over copies of what it would read. So it judges as a
// draw does. It takes no ID and writes nothing, and a wait only moves its own clock on.
Outlook look_ahead(SharedState *state, const Survey &survey);

// Looks at everything.
Survey take_survey();

}  // namespace idgen::pg
