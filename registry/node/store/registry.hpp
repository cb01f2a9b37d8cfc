// A registry of numbers as its callers see it, whatever store lies behind: PostgreSQL or etcd.
//
// Each call waits for an answer until its deadline, asleep, and gives up at once if a signal ends the process or
// cancels its statement. Nothing here raises an error or leaves one pending, unless memory runs out: what went wrong
// is a Reply, with a sentence that never holds a password. Waiting resets the latch of the process. What a call means
// is written in registry/node/rules.
#pragma once

#include "pg/postgres.hpp"
#include "registry/node/rules/counter_row.hpp"
#include "registry/node/rules/lease_record.hpp"
#include "registry/node/rules/number_choice.hpp"
#include "registry/node/rules/registry_row.hpp"
#include "registry/node/rules/tickets.hpp"

namespace idgen::lease {

enum class Reply : uint8 {
    answered,
    silent,   // no answer: not there, too slow, or lost on the way; a call may have been executed all the same
    foreign,  // not the registry whose identity was named
    denied,   // it refuses: password, rights, not set up, a standby, a copy
    limited,  // it refuses this one call: its owner does not allow as much, or what it has of the number is damaged
    locked,   // another transaction there keeps the row: this call was not executed
};

// Why a call was not answered, for the log and for idgen.status().
struct Trouble {
    Reply reply;
    char sentence[256];  // whole, without a period; no password
};

// Who holds a number: only for people to read.
struct Holder {
    const char *name;
    int64 system_identifier;
    int32 timeline;
};

// What the registry says of a number that was ever held.
struct RegisteredNumber {
    ListedNumber listed;
    char name[129];
    int64 system_identifier;
    int32 timeline;
    int64 since_ms;       // by the registry's clock, unix ms
    int64 lease_left_ms;  // 0: past, or no server holds it; -1: for ever
};

struct Registration {
    RegisteredNumber *rows;  // by palloc, ascending
    size_t count;
    int64 floor_ms;  // R of the numbers that are not listed
};

// What an owner allows nodes, as far as it is given.
struct RegistryLimits {
    int64 max_ahead_ms;    // 0: as it is
    int64 largest_number;  // -1: as it is
    int64 longest_ttl_ms;  // 0: as it is
};

// The instant to which a registry is advanced.
struct AdvanceTo {
    int64 longest_ahead_ms;  // ahead of its clock
    int64 at_ms;             // 0: not given; else that instant instead
};

// Calls of counters. Names are UTF-8 whatever the database's encoding is, of 1 to 63 bytes.

constexpr size_t longest_counter_name = 63;

// What a node asks of counters: of many in one call, each with an answer of its own, so that none waits for another.
// At most that many, none of them twice.
constexpr size_t most_counter_calls = 128;

struct FetchCall {
    const char *name;
    CounterFetch fetch;
    CounterAnswer answer;
};

struct GiveBackCall {
    const char *name;
    UnusedNumbers unused;
    CounterOutcome outcome;
};

// What only the owner of the registry may do with one.
enum class CounterAct : uint8 { create, drop, forget, advance, set_max, set_block };

struct CounterCall {
    CounterAct act;
    const char *name;
    NewCounter made;  // of create; of set_max and set_block what they set
    int64 next;       // of advance
};

struct ListedCounter {
    char name[longest_counter_name + 1];
    int64 next;  // -1: there is none left
    int64 largest;
    int64 block;
    int64 max_block;
    bool awaits_advance;
};

struct CounterList {
    ListedCounter *rows;  // by palloc, by their names
    size_t count;
};

// The calls of a store. `self` is its own; `trouble` is written if a reply is not `answered`.
struct Registry {
    void *self;
    // Its identity; made by the first call ever.
    Reply (*identify)(void *self, RegistryIdentity &identity, Trouble &trouble);
    Reply (*call)(void *self, const RegistryIdentity &identity, const LeaseCall &call, int64 ttl_ms,
                  const Holder &holder, CallAnswer &answer, Trouble &trouble);
    // The rows of the numbers in a range.
    Reply (*list)(void *self, const NumberRange &range, Registration &registration, Trouble &trouble);
    // True if a server held the number.
    Reply (*release)(void *self, int64 number, bool &had_owner, Trouble &trouble);
    // Gives the instant to which it was advanced.
    Reply (*advance)(void *self, const AdvanceTo &to, int64 &at_ms, Trouble &trouble);
    Reply (*limit)(void *self, const RegistryLimits &limits, Trouble &trouble);
    // Removes numbers that no server has held for that long; gives how many.
    Reply (*forget)(void *self, int64 unused_ms, int64 &count, Trouble &trouble);
    Reply (*fetch)(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count, Trouble &trouble);
    Reply (*give_back)(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                       Trouble &trouble);
    Reply (*manage_counter)(void *self, const CounterCall &call, Trouble &trouble);
    Reply (*list_counters)(void *self, CounterList &list, Trouble &trouble);
    // Who keeps a row from being changed, a counter's or, if `counter` is null, a number's: a sentence's end, by palloc.
    Reply (*find_locker)(void *self, const char *counter, int64 number, const char *&who, Trouble &trouble);
    // How long each call waits for its answer from now on.
    void (*wait_up_to)(void *self, int64 answer_ms);
    // Whether the server that answered last is the one of this process.
    bool (*is_own)(void *self);
    void (*close)(void *self);
};

constexpr NumberRange all_numbers{0, PG_INT32_MAX};

// Opens whichever store the address in idgen.registry names (registry/node/keep/open_registry.cpp), in the current memory context; nothing is sent yet. It is closed with the context
// if not before. `answer_ms` is how long a call waits. False, and the trouble, if it is not an address.
bool open_registry(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

}  // namespace idgen::lease
