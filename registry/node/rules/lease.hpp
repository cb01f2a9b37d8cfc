// A number that this server holds from a registry while it runs.
//
//      claimed <= floor <= every tick that is issued < granted = min(H, cap),   cap <= R of the registry's
//      row
//
// R is extended a window at a time before the cap is reached, as H is, but over a network and therefore long before. A
// lease is not a fence: its owner may be slow to learn that it is lost. R is one: the next owner of the number begins
// at R, so the IDs of the two are disjoint, whatever their clocks say and however long the one before goes on below its
// cap.
//
// One call is on its way at a time, and none is forgotten: until its answer has come, asking gives the
// identical call again. Everything is handed in: clock, randomness, the record (lease_record.hpp) and the answers.
// Times are unix ms.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/horizon/trusted_clock.hpp"
#include "core/slot/held_number.hpp"
#include "registry/node/rules/lease_record.hpp"
#include "registry/node/rules/registry_row.hpp"

namespace idgen {

struct LeaseRules {
    std::int64_t window_ms;    // how far ahead R is extended at once
    std::int64_t ttl_ms;       // of the lease; 0: it never ends
    std::int64_t max_lead_ms;  // how far an ID may lie ahead of the clock
};

// In shared memory: no pointers. What is atomic is read without a lock; all else is guarded by the lock of the caller.
// A cap that falls, by end_issue or because the number is lost, leaves the lease draining: a session that read the cap
// before may still take below it. Until the caller has held the lock of every slot, no R is lowered, and no number
// claimed in this lease.
struct Lease : HeldNumber {    // claimed_ms: R when the number was claimed
    std::int64_t incarnation;  // 0: no number is held
    std::int64_t life;
    std::int64_t horizon_ms;       // R as it was last answered
    std::int64_t granted_boot_ms;  // when the last call that was granted was first sent, by CLOCK_BOOTTIME
    std::int64_t sent_boot_ms;     // the same of the one that is on its way
    LeaseCall pending;             // of kind none: none is on its way
    bool is_ending;
    bool is_draining;
};
static_assert(std::is_trivially_destructible_v<Lease>, "lives in shared memory");

// Forgets everything, as a start does, and begins a life: a random value.
void begin_life(Lease &lease, std::int64_t life) noexcept;

// Leaves number and life because the machine was copied with its memory (horizon/machine.hpp): each copy has both, and
// the call that is on its way, which is never asked for again. Goes on with a new life; what is ending still ends.
void leave(Lease &lease, std::int64_t life) noexcept;

constexpr bool is_waiting(const Lease &lease) noexcept {
    return lease.pending.kind != CallKind::none;
}
constexpr bool is_held(const Lease &lease) noexcept {
    return lease.incarnation != 0;
}

constexpr bool has_ended(const Lease &lease) noexcept {
    return lease.is_ending && !is_held(lease) && !is_waiting(lease) && !lease.is_draining;
}

// Asks for the number of a record. Requires that the record is durable, by propose(), that no number is held, and that
// the lease has drained.
LeaseCall ask_claim(Lease &lease, const LeaseRecord &durable, const ClockReading &clock) noexcept;

// Whether R or the lease should be extended now: issue is not open yet, or half of the window or a third of the lease
// is used.
bool is_extension_due(const Lease &lease, const ClockReading &clock, const LeaseRules &rules) noexcept;

// Asks for a window more; the first one opens issue. Requires a number that is held and not ending, its slots at or
// above claimed_ms, and a clock that judge_clock accepts.
LeaseCall ask_extend(Lease &lease, const ClockReading &clock, const LeaseRules &rules) noexcept;

// Ends issue for good. Once the lease has drained, the horizons of the databases are read, and R may be lowered.
void end_issue(Lease &lease) noexcept;

// Notes that the caller has held the lock of every slot since the cap fell.
void note_drained(Lease &lease) noexcept;

// Asks to lower R to the largest H of the databases that issued IDs with the number since it was claimed; 0: none did;
// the number is given up. Requires end_issue and note_drained. An extension that is on its way is asked for again
// first: R is not known until it is answered.
LeaseCall ask_stop(Lease &lease, std::int64_t used_ms, const ClockReading &clock) noexcept;

enum class LeaseNews : std::uint8_t {
    none,     // an answer to a call that is not on its way, or nothing has changed
    claimed,  // move the floor of every slot of the number to claimed_ms, before the first extension is asked
              // for
    left,     // claimed, but R lies too far ahead: the pending call gives it up, then claim another
    missed,   // another server has it: claim another
    extended,
    too_far,  // the registry finds the clock too far ahead of its own
    lost,     // no more IDs with the number: drain, and claim again
    stopped,
};

// What a crash of the server leaves of a lease, in memory that no copy of its disk has. All of its IDs lie below R and
// below what the server had reached, so the next start in the same place goes on as the same life: no other server can
// have made IDs between the two.
struct SavedLease {
    std::int64_t number;
    std::int64_t incarnation;  // 0: nothing to go on with
    std::int64_t life;
    std::int64_t claimed_ms;
    std::int64_t horizon_ms;
    std::int64_t granted_boot_ms;
    std::int64_t sent_boot_ms;
    LeaseCall pending;
};

// To be saved before a call is sent and after its answer. A lease that ends cannot be continued: a stop may have
// lowered R.
SavedLease saved(const Lease &lease) noexcept;

// Goes on with a saved lease. Requires that its life has ended, and that every tick it issued lies below `reached_ms`:
// the floor of every slot of the number becomes that, or R. Then reopen() opens issue.
void resume(Lease &lease, const SavedLease &saved, std::int64_t reached_ms) noexcept;
void reopen(Lease &lease) noexcept;

// Takes an answer in. The record is the durable one, and becomes the one to write next; it need not be durable before
// IDs are made.
LeaseNews take_in(Lease &lease, LeaseRecord &record, const LeaseCall &call, const CallAnswer &answer,
                  const ClockReading &clock, const LeaseRules &rules) noexcept;

// What the keeper of a server's numbers has to ask the registry for next, for one of them.

// Which number a lease is for.
enum class LeaseFor : std::uint8_t {
    nothing,  // no session wants it
    pool,     // any that is free: it goes into the server's own
    number,   // the one that was given by hand
};

enum class Errand : std::uint8_t {
    none,
    repeat,  // the call that was not answered
    drain,   // hold the lock of every slot once, then note_drained()
    claim,   // the number that was given by hand
    choose,  // a number, and take it
    extend,
    stop,
};

inline Errand next_errand(const Lease &lease, LeaseFor purpose, const ClockReading &clock,
                          const LeaseRules &rules) noexcept {
    if (is_waiting(lease)) return Errand::repeat;
    if (lease.is_draining) return Errand::drain;
    if (lease.is_ending) return is_held(lease) ? Errand::stop : Errand::none;
    if (is_held(lease)) return is_extension_due(lease, clock, rules) ? Errand::extend : Errand::none;
    switch (purpose) {
        case LeaseFor::pool:
            return Errand::choose;
        case LeaseFor::number:
            return Errand::claim;
        case LeaseFor::nothing:
            break;
    }
    return Errand::none;
}

// Whether the number should be replaced while another transaction at the registry keeps its row: there are others, and the
// IDs that it has left would end within a quarter of the window. The call that is on its way is taken in as refused
// then; copies of it that are executed late change nothing for another number.
inline bool should_replace(const Lease &lease, LeaseFor purpose, const ClockReading &clock,
                           const LeaseRules &rules) noexcept {
    if (purpose != LeaseFor::pool) return false;
    switch (lease.pending.kind) {
        case CallKind::claim:
            return true;
        case CallKind::extend:
            return lease.cap_ms <= clock.now_ms + rules.window_ms / 4;
        case CallKind::stop:
            return !is_held(lease);
        case CallKind::none:
            break;
    }
    return false;
}

// The rules of a number by hand: there is no other, so it is kept however far ahead R lies; its slots wait.
constexpr LeaseRules rules_for(LeaseRules rules, LeaseFor purpose) noexcept {
    constexpr std::int64_t any_ms = INT64_MAX / 2;
    if (purpose == LeaseFor::number) rules.max_lead_ms = any_ms;
    return rules;
}

}  // namespace idgen
