// A renewal moves a durable record up: the horizon of a database, or the generator of its DecimalIds. Its steps, each
// with the lock of renewals held; what the caller does in between is behind the arrows.
//
//      begin  --> done           another session was first
//             --> read_page      look at what is settled, lock and read the page --> judge
//             --> look_again     a record was written before: is it durable by now?
//      judge  --> an outcome     unlock the page
//             --> a record       renew the pairs, write --> note_written, unlock the page --> is it durable?
//      is it durable  --> yes    note_flushed --> grant
//                     --> no     come again; where so little of the window is left that it is needed, flush it first
//
// No lock is held while anything is waited for: a caller whose renewal is not granted comes and begins again.
#pragma once

#include <cstdint>

#include "core/horizon/durable_record.hpp"
#include "core/horizon/generators.hpp"
#include "core/horizon/horizon.hpp"
#include "core/horizon/pair_list.hpp"
#include "core/horizon/trusted_clock.hpp"
#include "core/layout/layout.hpp"

namespace idgen {

// The durable records of a database.
enum class Record : std::uint8_t { horizon, generator };

// What keeps a record from being renewed, or what it says from being used.
enum class Renewal : std::uint8_t {
    granted,           // or the floor rose: try the take again
    locked,            // another transaction holds a lock on what the record lies in
    origin_locked,     // or on what names the origin, which is asked for as long as there is no record
    busy,              // another session renews
    not_flushed,       // it is written, and on its way to the disk
    not_acknowledged,  // the synchronous standbys have not flushed it yet
    // Refused: waiting does not help.
    no_record,               // it is missing
    newer_record,            // written by a later version
    unlogged,                //
    uncommitted,             // would be gone with the transaction, while others rest on it
    out_of_bounds,           // detail: the number in the record
    no_standby,              // one is asked for, and none is configured
    clock_jumped,            // detail: by how many ms; limit_ms: by how many it may
    clock_not_synchronized,  //
    clock_unknown,           // the system does not say whether it is
    clock_uncertain,         // detail: by how many ms it may be wrong; limit_ms: by how many it may be
    clock_disrupted,         // what the kernel says of its clock is of before the machine was moved or paused
    copied,                  // detail: the system identifier of the origin
    converted,               // the same of a copy that is refused only for how this server began
    resumed,                 // a copy of a machine and its memory
    not_above,               // a reset to below what may have been made
};

constexpr bool is_refused(Renewal renewal) noexcept {
    return renewal >= Renewal::no_record;
}

struct Outcome {
    Renewal renewal;
    std::int64_t detail;
    std::int64_t limit_ms = 0;
};
constexpr Outcome granted_outcome{Renewal::granted, 0};

// What a server knows of itself, read before the lock is taken.
struct ServerView {
    std::int64_t identity;
    ClockReading clock;
    std::uint32_t confirmations;  // of the clock, before it was read
    BootId boot;
    std::uint64_t machine;  // as its host told; identity and owner are of this one
    Owner owner;
    std::int64_t foreign_origin;  // of a record without an owner; 0: this server
    bool admits_copy;
    bool admits_resumed;    // else a copy of a machine makes no IDs; with shards from a registry it takes its own
    bool admits_inherited;  // else a copy makes no IDs that came along with this server's disk
    HorizonRules rules;
    ClockRules clock_rules;
    bool is_successor = false;  // another server may have made IDs before it: promoted, restored, or begun as a backup
    bool has_clone = false;     // its node in Citus has one, or that is not known
    bool has_registry = false;  // which gives the shards of a copy's origin to nobody else
};

// Why this server makes no IDs by that record without a registry, because it is a copy's; granted: it makes them.
Renewal refusal_of_copy(const ServerView &server, const DurableRecord &record) noexcept;

// The identity of the next record. A copy keeps that of its origin: its own would say that the shards were confirmed.
std::int64_t next_identity(const ServerView &server, const DurableRecord &before) noexcept;

enum class RenewalStep : std::uint8_t { done, read_page, look_again };

// What is to be done with a page that was read.
struct PageVerdict {
    bool is_to_write;
    Outcome outcome;       // where nothing is to be written
    DurableRecord record;  // where it is
};

constexpr PageVerdict write(const DurableRecord &record) noexcept {
    return {true, granted_outcome, record};
}

// Moves the horizon up for a tick that starts at `start_ms` and that the lead admits. One that starts at 0 only loads.
struct HorizonRenewal {
    Horizon &horizon;
    AcceptedClock &accepted;
    const ServerView &server;
    std::int64_t start_ms;
    bool has_loaded = false;  // the record was read as after a start, and is this:
    DurableRecord loaded = {};
    SettledPair pair = no_pair;  // what is settled, looked for with the lock held

    void note_machine() noexcept { idgen::note_machine(horizon, server.machine); }
    std::uint64_t machine() const noexcept { return horizon.machine; }
    RenewalStep begin() const noexcept;
    PageVerdict judge(const DurableRecord &page) noexcept;
    // Adds what is settled to what the page says, where a record is written.
    void renew_pairs(PagePairs &pairs) const noexcept {
        if (pair.until != none_settled) pairs.add(pair);
    }
    void note_written(const DurableRecord &record, std::uint64_t lsn) noexcept;
    // Whether IDs can do without it for a while.
    bool is_ahead() const noexcept { return !is_nearly_used(horizon.granted_ms, start_ms, server.rules.window_ms); }
    void note_flushed() noexcept { idgen::note_flushed(horizon); }
    void grant() noexcept { grant_pending(horizon); }
    const DurableState &state() const noexcept { return horizon.record; }

   private:
    PageVerdict next_record() noexcept;
};

// Takes the next generator.
struct GeneratorRenewal {
    Generators &generators;
    const ServerView &server;

    void note_machine() noexcept { idgen::note_machine(generators, server.machine); }
    std::uint64_t machine() const noexcept { return generators.machine; }
    RenewalStep begin() const noexcept;
    PageVerdict judge(const DurableRecord &page) noexcept;
    void renew_pairs(PagePairs &) const noexcept {}
    void note_written(const DurableRecord &record, std::uint64_t lsn) noexcept;
    bool is_ahead() const noexcept { return false; }
    void note_flushed() noexcept {}
    void grant() noexcept;
    const DurableState &state() const noexcept { return generators.record; }
};

// Whether a record of the horizon is on its way to the disk, and IDs can do without it for a while: then there is
// nothing to do. Asked without a lock: is_flushed(lsn) answers for the log.
template <class IsFlushed>
bool is_on_its_way(const Horizon &horizon, std::int64_t start_ms, std::int64_t window_ms, IsFlushed is_flushed) {
    std::uint64_t lsn = horizon.pending_lsn.load(std::memory_order_relaxed);
    bool is_ahead = !is_nearly_used(horizon.granted_ms.load(std::memory_order_relaxed), start_ms, window_ms);
    return lsn != 0 && is_ahead && !is_flushed(lsn);
}

// Standbys know what is settled from the page alone. After the last ID one more record tells them, as soon as every
// tick is over that can have been drawn from: it changes nothing but the pairs, and need not be flushed.

// Whether the page does not say yet that all is settled which starts before H.
inline bool is_untold(const Horizon &horizon) noexcept {
    std::int64_t durable_ms = horizon.durable_ms.load(std::memory_order_relaxed);
    return durable_ms != 0 && until_start(durable_ms) > horizon.told_until.load(std::memory_order_relaxed);
}
inline bool is_to_tell(const Horizon &horizon, std::int64_t now_ms) noexcept {
    return is_untold(horizon) && now_ms >= horizon.durable_ms.load(std::memory_order_relaxed) + longest_tick_ms;
}

// Whether that pair is to be written to that page. Requires the lock of renewals.
inline bool tells_more(const Horizon &horizon, const RecordPage &page, const SettledPair &pair) noexcept {
    bool is_expected = horizon.record.is_loaded && page.record == horizon.record.known;
    return is_expected && pair.until > page.pairs.newest();
}

// Notes what the page says. Requires the lock of renewals.
inline void note_told(Horizon &horizon, const PagePairs &pairs) noexcept {
    horizon.told_until = pairs.newest();
}

// What a session does whose renewal was not granted.
enum class Patience : std::uint8_t { go_on, wait, refused, exhausted };

// Another session's write and flush are no wait that a setting should refuse.
constexpr std::int64_t shortest_patience_ms = 1000;

constexpr Patience patience_after(Renewal renewal, std::int64_t waited_ms, std::int64_t max_wait_ms) noexcept {
    if (renewal == Renewal::granted) return Patience::go_on;
    if (is_refused(renewal)) return Patience::refused;
    bool is_busy = renewal == Renewal::busy && max_wait_ms < shortest_patience_ms;
    return waited_ms >= (is_busy ? shortest_patience_ms : max_wait_ms) ? Patience::exhausted : Patience::wait;
}

// For how long renewals of a horizon have been asked for in vain. One word: since when and when last, each ms of a
// clock that no step touches, modulo 2^32; 0 while none is outstanding. It counts for a minute after the last request:
// what held that one up may be gone.

// The stall, with one more request at `now_ms`.
constexpr std::uint64_t extended_stall(std::uint64_t stall, std::int64_t now_ms) noexcept {
    auto last = static_cast<std::uint32_t>(now_ms);
    std::uint64_t since = stall == 0 ? last : stall >> 32;
    return since << 32 | last;
}

constexpr std::uint32_t stall_ms(std::uint64_t stall, std::int64_t now_ms) noexcept {
    auto last = static_cast<std::uint32_t>(stall);
    return static_cast<std::uint32_t>(now_ms) - last > 60000 ? 0 : last - static_cast<std::uint32_t>(stall >> 32);
}

// Why and when a renewal was refused, by the clock, in one word that is not 0.
constexpr std::uint64_t refused_word(Renewal renewal, std::int64_t now_ms) noexcept {
    return static_cast<std::uint64_t>(now_ms) << 8 | static_cast<std::uint64_t>(renewal);
}
constexpr Renewal renewal_refused(std::uint64_t word) noexcept {
    return static_cast<Renewal>(word & 0xFF);
}
constexpr std::int64_t refused_ms(std::uint64_t word) noexcept {
    return static_cast<std::int64_t>(word >> 8);
}

}  // namespace idgen
