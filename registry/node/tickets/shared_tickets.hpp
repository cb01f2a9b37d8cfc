// The numbers of counters that this server holds (registry/node/rules/tickets.hpp), for all of its databases. Sessions draw from
// them and say what they lack; the keeper fetches and gives back.
//
// Locks, taken in this order: SharedTickets::lock, which counter has which entry; SharedCounter::mutex, a spinlock, all
// of an entry but its name. A session keeps a reference to the entry that it used last, and needs no more than the
// spinlock while the generation stays the same.
#pragma once

#include "pg/host/machine.hpp"
#include "pg/host/server_locks.hpp"
#include "registry/node/rules/tickets.hpp"
#include "registry/node/store/registry.hpp"

namespace idgen::lease {

// A counter's name in UTF-8, whatever the database's encoding is.
struct CounterName {
    char text[longest_counter_name + 1];
};

// What the keeper last heard of a counter.
enum class TicketState : uint8 {
    unknown,  // nothing yet
    given,
    missing,
    awaits_advance,
    too_few,  // there is none left
    older,    // it gave numbers that it had given before: the registry was put back to an older state
    locked,   // another transaction there keeps it: it is asked again
};

// Long enough for the process and the role of a locker.
constexpr size_t locker_size = 128;

struct alignas(64) SharedCounter {
    pg::SpinLock mutex;
    bool is_used IDGEN_LOCKS(guarded_by(mutex));
    bool is_asked IDGEN_LOCKS(guarded_by(mutex));  // the keeper is to fetch the next block
    bool is_refused
        IDGEN_LOCKS(guarded_by(mutex));  // the registry refused the last call for it, and so for others in it
    TicketState state IDGEN_LOCKS(guarded_by(mutex));
    uint32 generation IDGEN_LOCKS(guarded_by(mutex));  // another one for another counter
    Tickets tickets IDGEN_LOCKS(guarded_by(mutex));
    uint64 machine IDGEN_LOCKS(guarded_by(mutex));            // in which they were fetched (pg/host/machine.hpp)
    int64 wish IDGEN_LOCKS(guarded_by(mutex));                // the longest range that a session waits for; 0: none
    int64 too_long IDGEN_LOCKS(guarded_by(mutex));            // the length last asked for that was refused; 0: none was
    char locker[locker_size] IDGEN_LOCKS(guarded_by(mutex));  // who keeps it locked at the registry; empty: not known
    uint64 asked IDGEN_LOCKS(guarded_by(mutex));              // how often sessions asked
    uint64 answered IDGEN_LOCKS(guarded_by(mutex));           // how many of that the keeper has heard an answer for
    int64 drawn IDGEN_LOCKS(guarded_by(mutex));
    int64 fetches IDGEN_LOCKS(guarded_by(mutex));
    int64 waits IDGEN_LOCKS(guarded_by(mutex));  // draws that waited for the keeper
    CounterName name;                            // guard: SharedTickets::lock
    int32 next;                                  // guard: SharedTickets::lock; of the same bucket; -1: none
    // Only of the keeper, by the clock that no step touches.
    int64 drawn_before;
    int64 recent;           // what was drawn of late
    int64 locked_since_ms;  // 0: it is not
    int64 asks_at_ms;       // it is not asked before
    int64 asked_who_ms;     // when it was asked who keeps it locked; 0: not yet
    ConditionVariable changed;
};
static_assert(std::is_standard_layout_v<SharedCounter> && std::is_trivially_destructible_v<SharedCounter>,
              "lives in shared memory");

struct SharedTickets {
    pg::LightLock lock;
    uint32 size;                      // entries that there are
    pg_atomic_uint32 used;            // atomic; entries that a counter has; rises under the lock
    pg_atomic_uint32 is_room_wanted;  // atomic; a session found no entry
    ConditionVariable has_room;
    int tranche;
};

// Leaves out what is held if it was fetched in the machine that this one was copied from; gives the machine. Called with
// the mutex.
inline uint64 follow_machine(SharedCounter &counter) noexcept IDGEN_LOCKS(requires_capability(counter.mutex)) {
    uint64 machine = pg::machine();
    if (counter.machine == machine) return machine;
    leave_to_copies(counter.tickets);
    return counter.machine = machine;
}

// Asks for the memory when the server starts, with shared_preload_libraries.
void install_ticket_hooks();

// Null if the server has not loaded the module at its start.
SharedTickets *shared_tickets() noexcept;

SharedCounter *counters_of(SharedTickets *tickets) noexcept;

// Takes a counter out of the table; its entry is free for another. Only the keeper does.
void remove_counter(SharedTickets *tickets, SharedCounter &counter);

// The entry that a session used last.
struct CounterReference {
    SharedCounter *entry;  // null: none
    uint32 generation;
};

// Finds the counter's entry, or takes a free one. False if there is none.
bool find_counter(SharedTickets *tickets, const CounterName &name, CounterReference &reference);

// The last number of the counter that this server was given, if the registry may have forgotten that; -1: none.
int64 last_forgotten(SharedTickets *tickets, const CounterName &name) noexcept;

// Draws numbers of a counter from what this server holds, and waits for the keeper if that is not enough.

// The name in UTF-8. Raises if it is empty or too long, or has a control character.
CounterName counter_name(std::string_view text);

// Takes `n` numbers in a row; gives the first. Waits, asleep, for idgen.max_wait at most, and not if the registry was
// asked and has never answered; raises if there is none.
// The reference is of this counter, or empty.
int64 draw_tickets(SharedTickets *tickets, const CounterName &name, CounterReference &reference, int64 n);

}  // namespace idgen::lease
