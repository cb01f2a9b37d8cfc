// Which IDs of a database are settled: below some instant, all belong to transactions that have ended, so a session
// that reads after the answer sees every one of them that ever commits.
//
//      a draw:      announce the start of its first tick --> fence --> read S: begin no tick below that of S
//      the answer:  lift S --> fence --> the least of S and of the announcements whose transaction still runs
//
// One of the two was first at its fence: either the answer takes the announcement into account, or the draw sees S. S
// needs no record: what is answered lies below an H that is durable (settled_pairs.hpp), after a start the floor is
// that, and every transaction that had drawn has ended or is prepared. It is not the floor, which is rounded up to a
// tick: a layout of seconds would have to wait for the next one.
//
// An announcement stands in the entry of its process (process_entry.hpp): parallel workers write it for a leader that may
// never draw. It counts while that process is in that transaction. Not for IDs that are drawn in one transaction and
// stored in another.
//
// Nothing here waits, reads a clock or raises. Times are unix ms; the start of a tick is the ms that it starts in.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/horizon/horizon.hpp"
#include "core/horizon/pair_list.hpp"
#include "core/layout/packing.hpp"
#include "core/require.hpp"
#include "core/slot/locks.hpp"
#include "core/slot/process_entry.hpp"
#include "core/slot/slot.hpp"

namespace idgen {

// What a process knows of what it announced itself. Its workers, or its leader and that one's other workers, may have
// announced an earlier start.
struct Announced {
    std::uint32_t transaction;  // its number; 0: none
    std::int64_t start_ms;      // the earliest that it has announced in that transaction
    std::int64_t settled_ms;    // S, as it saw it after the last announcement
    std::int64_t covered_ms;    // the later of the two: a tick from there on needs no second look
};

// Whether a draw whose first tick starts at `start_ms` is announced: at a glance, as it mostly is, and by a second
// look, as in a tick of a second that S lies in.
constexpr bool is_announced(const Announced &own, std::uint32_t transaction, std::int64_t start_ms) noexcept {
    return own.transaction == transaction && start_ms >= own.covered_ms;
}
constexpr bool covers(const Announced &own, std::uint32_t transaction, const Packing &p, std::int64_t base) noexcept {
    return own.transaction == transaction && start_of(p, base) >= us_of(own.start_ms) &&
           base >= tick_of(p, us_of(own.settled_ms));
}

// Writes the entry of a transaction, or lowers it.
template <class Lock>
void write_announcement(ProcessEntry<Lock> &entry, std::uint32_t database, const LocalTransaction &transaction,
                        std::int64_t start_ms) noexcept {
    Guard<Lock> guard(entry.mutex);
    bool is_same = entry.transaction.load(std::memory_order_relaxed) == transaction.number &&
                   entry.pid.load(std::memory_order_relaxed) == transaction.pid &&
                   entry.database.load(std::memory_order_relaxed) == database;
    // A leader and its workers write the same entry: the earliest counts.
    if (is_same && start_ms >= entry.start_ms.load(std::memory_order_relaxed)) return;
    if (!is_same) entry.transaction.store(0);
    entry.database.store(database);
    entry.pid.store(transaction.pid);
    entry.start_ms.store(start_ms);
    entry.transaction.store(transaction.number);
}

// Announces a draw that would begin at `base`, unless that is covered, and gives where it may: `base`, or the tick of S.
template <class Lock, class Pause>
std::int64_t announce(ProcessEntry<Lock> &entry, Announced &own, const Horizon &horizon, std::uint32_t database,
                      const LocalTransaction &transaction, const Packing &p, std::int64_t base, Pause pause) noexcept {
    if (covers(own, transaction.number, p, base)) return base;
    std::int64_t seen_ms = horizon.settled_ms.load(std::memory_order_relaxed);
    base = std::max(base, tick_of(p, us_of(seen_ms)));
    std::int64_t start_ms = ms_down(start_of(p, base));
    pause();
    write_announcement(entry, database, transaction, start_ms);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    pause();
    if (own.transaction == transaction.number) start_ms = std::min(start_ms, own.start_ms);
    std::int64_t settled_ms = horizon.settled_ms.load(std::memory_order_relaxed);
    own = {transaction.number, start_ms, settled_ms, std::max(start_ms, settled_ms)};
    return std::max(base, tick_of(p, us_of(settled_ms)));
}

// The transaction that an entry announces, and from where; false if it announces none of that database. While the entry
// is written, its words may be of two announcements. That does no harm: the transaction of the first has ended or
// announces an earlier start, and the draw that writes has not come to its fence yet and will see S.
template <class Lock>
bool read_announcement(const ProcessEntry<Lock> &entry, std::uint32_t database, LocalTransaction &transaction,
                       std::int64_t &start_ms) noexcept {
    transaction.number = entry.transaction.load();
    if (transaction.number == 0 || entry.database.load() != database) return false;
    transaction.pid = entry.pid.load();
    start_ms = entry.start_ms.load();
    return true;
}

// A transaction that is prepared for two-phase commit leaves its process; its announcement then stands here, under its
// number on the server.

struct PreparedAnnouncement {
    std::uint32_t xid;
    std::uint32_t database;
    std::int64_t start_ms;
};

// In shared memory. Written under a lock of the caller, read without one: no reader may keep a transaction from being
// prepared. It counts while the transaction is in progress, and has no other before that has ended.
struct PreparedEntry {
    std::atomic<std::uint32_t> xid;  // 0: free, or being written
    std::atomic<std::uint32_t> database;
    std::atomic<std::int64_t> start_ms;
};

constexpr std::int64_t drew_nothing = INT64_MAX;

// When a transaction that is being prepared hands its announcement over: before the server ends it in its process, so
// that it is always found at one of the two, in this order.
enum class HandOver : std::uint8_t { before_end, after_end };
constexpr HandOver hand_over_at = HandOver::before_end;

// What there is to be handed over of a transaction of the process that has the entry: what it drew itself, which is
// `own`, and what its workers drew. They may be all that drew; then `own` knows nothing.
template <class Lock>
PreparedAnnouncement announcement_of(const ProcessEntry<Lock> &entry, [[maybe_unused]] const Announced &own,
                                     std::uint32_t database, const LocalTransaction &transaction,
                                     std::uint32_t xid) noexcept {
    LocalTransaction announced;
    std::int64_t start_ms;
    bool is_of_database = read_announcement(entry, database, announced, start_ms);
    bool has_drawn = is_of_database && announced.number == transaction.number && announced.pid == transaction.pid;
    IDGEN_REQUIRE(own.transaction != transaction.number || (has_drawn && start_ms <= own.start_ms));
    return {xid, database, has_drawn ? start_ms : drew_nothing};
}

// Puts it where a transaction has ended. False if there is no room. Requires the lock of the writers.
template <class IsInProgress>
bool hand_over(PreparedEntry *entries, std::uint32_t count, const PreparedAnnouncement &announcement,
               IsInProgress is_in_progress) {
    for (std::uint32_t i = 0; i < count; i++) {
        PreparedEntry &entry = entries[i];
        std::uint32_t before = entry.xid.load(std::memory_order_relaxed);
        if (before != 0 && is_in_progress(before)) continue;
        entry.xid.store(0);
        entry.database.store(announcement.database);
        entry.start_ms.store(announcement.start_ms);
        entry.xid.store(announcement.xid);
        // A reader that finds that the process has left the transaction finds this.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return true;
    }
    return false;
}

// False if the entry is free, or is being written: then that transaction is still in its process.
inline bool read_prepared(const PreparedEntry &entry, PreparedAnnouncement &announcement) noexcept {
    announcement.xid = entry.xid.load();
    announcement.database = entry.database.load();
    announcement.start_ms = entry.start_ms.load();
    return announcement.xid != 0 && entry.xid.load() == announcement.xid;
}

// S, and the H that it was lifted by. No answer to a reader goes beyond either.
struct LiftedTo {
    std::int64_t settled_ms;  // 0: no H is known
    std::int64_t durable_ms;
};

// Lifts S: what is undecided is looked for after that. Not further above H than the longest tick that starts below H
// can reach, so that a clock that is far ahead does not become S. With the lock under which a reset lowers H and looks
// at S: whatever was lifted by the former H, it has seen.
template <class Lock>
LiftedTo lift_settled(Horizon &horizon, Lock &lock, std::int64_t now_ms) noexcept {
    LiftedTo to;
    {
        Guard<Lock> guard(lock);
        to.durable_ms = horizon.durable_ms.load();
        if (to.durable_ms != 0) lift(horizon.settled_ms, std::min(now_ms, to.durable_ms + longest_tick_ms));
        to.settled_ms = horizon.settled_ms.load();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return to;
}

// Who keeps the answer from being later.
enum class HeldBy : std::uint8_t {
    none,
    process,   // one that is in a transaction
    prepared,  // a prepared transaction
    unknown,   // one that was prepared before the start, and it is not known from where it drew
};

struct Settled {
    std::int64_t until_ms;  // every ID that starts before it is decided
    HeldBy held_by;
    std::uint32_t holder;  // the number of the process, or of the prepared transaction
};

// All announcements.
template <class Lock>
struct Announcements {
    const ProcessEntry<Lock> *processes;
    std::uint32_t process_count;
    const PreparedEntry *prepared;
    std::uint32_t prepared_count;
    std::atomic<bool> *old_ended = nullptr;  // none is left that was prepared before the start; null: that is not kept
};

// The `Server` of the functions below has
//   bool is_in(process, transaction)    whether the process at that place is in that LocalTransaction
//   bool is_in_progress(xid)            whether a snapshot taken next lists the transaction as running
//   void for_each_old(visit)            visit(xid, is_of_database) for each transaction, of any database, that was
//                                       prepared before the start, or may have been

template <class Lock, class Server, class Pause>
void gather_processes(Settled &settled, const Announcements<Lock> &all, std::uint32_t database, Server &server,
                      Pause pause) {
    LocalTransaction transaction;
    std::int64_t start_ms;
    for (std::uint32_t i = 0; i < all.process_count; i++) {
        if (!read_announcement(all.processes[i], database, transaction, start_ms)) continue;
        pause();
        if (start_ms >= settled.until_ms || !server.is_in(i, transaction)) continue;
        settled = {start_ms, HeldBy::process, i};
    }
}

// Whether a transaction that was found prepared has handed over what it drew, which it does before others can find it.
template <class Lock>
bool is_remembered(const Announcements<Lock> &all, std::uint32_t xid) noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return std::any_of(all.prepared, all.prepared + all.prepared_count,
                       [xid](const PreparedEntry &entry) { return entry.xid.load() == xid; });
}

// None comes back: what is prepared later has handed over what it drew, and what its workers drew, whose leader must have
// the library for that. So once a whole list had none of any database left, no list is read again.
template <class Lock, class Server>
void gather_old(Settled &settled, const Announcements<Lock> &all, Server &server) {
    if (all.old_ended != nullptr && all.old_ended->load(std::memory_order_acquire)) return;
    bool have_ended = true;
    server.for_each_old([&](std::uint32_t xid, bool is_of_database) {
        if (is_remembered(all, xid) || !server.is_in_progress(xid)) return;
        have_ended = false;
        if (is_of_database) settled = {INT64_MIN, HeldBy::unknown, xid};
    });
    if (have_ended && all.old_ended != nullptr) all.old_ended->store(true, std::memory_order_release);
}

template <class Lock, class Server>
void gather_prepared(Settled &settled, const Announcements<Lock> &all, std::uint32_t database, Server &server) {
    PreparedAnnouncement entry;
    for (std::uint32_t i = 0; i < all.prepared_count; i++) {
        bool is_earlier =
            read_prepared(all.prepared[i], entry) && entry.database == database && entry.start_ms < settled.until_ms;
        if (is_earlier && server.is_in_progress(entry.xid)) settled = {entry.start_ms, HeldBy::prepared, entry.xid};
    }
    gather_old(settled, all, server);
}

// The least of `settled_ms` and of all announcements. A transaction that is prepared meanwhile is found at its process
// or, after that, among the prepared.
template <class Lock, class Server, class Pause>
Settled gather(std::int64_t settled_ms, const Announcements<Lock> &all, std::uint32_t database, Server &server,
               Pause pause) {
    Settled settled{settled_ms, HeldBy::none, 0};
    gather_processes(settled, all, database, server, pause);
    pause();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    gather_prepared(settled, all, database, server);
    return settled;
}

// The first ID above all that is settled in a layout.
constexpr std::int64_t settled_id(const Packing &p, std::int64_t until) noexcept {
    std::int64_t until_ms = ms_of_until(until);
    std::int64_t until_us = us_of(until_ms);
    if (until_us <= p.epoch_us) return 0;
    std::int64_t tick = until == until_start(until_ms) ? tick_from(p, until_us) : tick_of(p, until_us);
    return tick < p.tick_end ? lowest_id(p, tick) : INT64_MAX;
}

}  // namespace idgen
