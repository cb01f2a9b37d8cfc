// The shards that this node owns, wherever idgen.shards says that they come from: the list itself, numbers from a
// registry, or the group of the node in Citus.
#pragma once

#include "core/layout/shard_set.hpp"
#include "core/slot/held_number.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {

// Shards from a registry, as a draw and all else here asks for them. What is declared here is defined by the node's side
// of a registry (registry/node/held), which is linked into this module, and is all that is asked of it.

// In shared memory: all that this server holds, for all of its databases. Its guards are its own.
struct SharedLeases;

// Numbers that one server can hold.
constexpr uint32 max_leases = 128;

// Called when the library is loaded: with all settings; and when the server starts, with shared_preload_libraries.
void define_lease_settings();
void open_lease_gate();

// Whether idgen.registry is set: then each number must be granted, those of idgen.shards, too.
bool has_registry() noexcept;

// How many bytes of shared memory they take, and how they begin: in the machine that the server started in, because
// after a crash what it remembers may be of before a copy.
size_t size_of_leases() noexcept;
void initialise(SharedLeases &leases, int tranche, uint64 began_in) noexcept;
// Called after that by the server's main process: finds what the server before this one left in memory.
void open_saved_leases();

// Where the IDs of a number end; of one that is not held, or not yet, at once.
const HeldNumber *find_lease(SharedLeases &leases, uint32 number) noexcept;

// Where they begin, unix ms; 0: the number was never claimed.
int64 claimed_ms(SharedLeases &leases, uint32 number) noexcept;

// The numbers that the registry chose for this server, ascending; gives how many. And how often they have changed.
uint32 list_pool(SharedLeases &leases, uint32 *numbers);
uint32 changes_of_pool(SharedLeases &leases) noexcept;

// Asks for a number that was given by hand, or for some that the registry chooses. False if there is no room for more.
bool want_number(SharedLeases &leases, uint32 number);
void want_pool(SharedLeases &leases) noexcept;

// If the machine was copied with its memory since the numbers were claimed, none of them is drawn from any more, and
// others are claimed. True for the one caller who sees it first.
bool leave_numbers(SharedLeases &leases) noexcept;

// Notes that IDs up to an instant, unix ms, are about to be granted. Called before they are.
void note_reached(int64 to_ms) noexcept;

// What cannot be drawn from yet: one number, or any that the registry chose.
struct AwaitedNumber {
    bool is_of_pool;
    uint32 number;
};

// Why it cannot, after a wait of so many ms; negative: after none.
Refusal refusal_of_number(SharedLeases &leases, const AwaitedNumber &awaited, int64 waited_ms);
// Whether nothing is known that speaks against a grant: the registry answers, or was not asked yet.
bool may_be_granted(SharedLeases &leases, const AwaitedNumber &awaited);

// All that idgen.status() looks at of them, by palloc; and the numbers of those that the registry chose, "3, 4", null if
// it has chosen none yet.
struct LeaseSurvey;
const LeaseSurvey &survey_leases(SharedLeases &leases);
const char *chosen_numbers(const LeaseSurvey &leases);

// Room for shards that idgen.shards does not list, each a range of its own.
struct OwnRoom {
    ShardRange numbers[max_leases];
};

// The shards as they are now; empty if none is set, or none is held yet. A view of the room or of idgen.shards. Raises if
// idgen.shards is citus and this node has no group.
ShardSet own_set(SharedLeases &leases, OwnRoom &room);

// The same in words, if idgen.shards itself is not a list; else null.
const char *own_numbers_text();

// Why this session has no shards, and what gives it some.
Refusal refusal_of_none();

// idgen.shards as it was written, and what set it: "5", set by ALTER DATABASE app; by palloc.
const char *shards_with_origin();

// Whether idgen.shards, a list, is stored where Citus copies it to nodes that must not have the same: it copies ALTER
// DATABASE ... SET and ALTER ROLE ... SET to all of its nodes, ALTER SYSTEM to none. 'citus' and 'lease' mean other
// numbers on each node.
bool are_shards_copied();

}  // namespace idgen::pg
