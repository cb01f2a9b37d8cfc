// What moves the horizon by hand, over a host that answers for the server. idgen.advance(), idgen.reset() and
// idgen.confirm_shards() each have a record to be written, and what follows from it in shared memory:
//
//      lock of renewals --> begin --> lock and read the page --> plan --> agree --> write it, unlock it -->
//      flush it --> finish --> unlock renewals --> wait until the synchronous standbys have it
//
// So no renewal comes between, and nothing follows from a record that a crash may lose; until the next renewal nothing
// is granted. CREATE EXTENSION begins a horizon, or the generators, above what the server remembers, then writes that
// to a page that nobody else sees yet.
//
// Beside the questions of a renewal (renewal_order.hpp) a `Host` has
//   void lock_patiently()                      the lock of renewals; waits for it
//   Database &database()
//   void in_directory(visit)                   calls visit(directory) with the directory's lock held
//   std::int64_t clock_difference_ms()         of the clock to that of the boot, as it is now (trusted_clock.hpp)
//   std::int64_t number_begins_ms(number)      where the IDs of a number from a registry begin; 0: it is none
//   void wait_for_standbys()                   for a while; the server may raise an error, no lock being held
//   bool remembers()                           whether there is a database() when the extension is created
//   std::uint64_t write_first(const DurableRecord &)   to a page of its own that is new; where that stands in the log
// Times are unix ms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/horizon/renewal.hpp"
#include "core/horizon/trusted_clock.hpp"
#include "core/slot/locks.hpp"

namespace idgen {

// The first H of a database of which this server remembers nothing: above all that an earlier idgen can have made, by
// the clock, and if that was set back since, by the second of the last checkpoint.
constexpr std::int64_t first_horizon_ms(std::int64_t now_ms, std::int64_t checkpoint_s,
                                        std::int64_t max_lead_ms) noexcept {
    std::int64_t seen_ms = checkpoint_s * 1000;
    // By this clock, that second is not over. If it was set back since the checkpoint, that may have been at its end.
    if (seen_ms + 999 > now_ms) seen_ms += 999;
    return (seen_ms > now_ms ? seen_ms : now_ms) + max_lead_ms;
}

// The server that creates the extension: what its records are known by; and whether another server may have made IDs in
// its databases before it, because it was promoted or restored, or began as a backup.
struct Creator {
    std::int64_t identity;
    bool is_successor;

    // Of a database whose record this server has not seen since its start, or where a debt is not paid yet: 0, so that
    // the first renewal waits as it does after a promotion.
    constexpr std::int64_t identity_for(const Horizon &horizon) const noexcept {
        return is_successor && !horizon.record.is_loaded ? 0 : identity_of_advance(horizon, identity);
    }
};

// Begins a database's horizon when the extension is created again, above what this server knows of it: the record to
// be written, with an H of at least `first_ms`. The grant ends before the slots are looked at, so whatever is drawn
// after the look rests on the new record. Readers by ID go on: so H also lies above what they know as settled, and not
// below the former H, up to which they read until the new page is loaded. Requires the locks of renewals and directory.
template <class Directory, class Database>
DurableRecord begin_horizon(const Directory &directory, Database &database, std::int64_t first_ms,
                            const Creator &creator) noexcept {
    std::int64_t identity = creator.identity_for(database.horizon);
    note_created(database.horizon, first_ms);
    std::int64_t above_ms = directory.above_ms(database);
    lift(database.horizon.floor_ms, above_ms);
    return bare_record(std::max(above_ms, database.horizon.durable_ms.load()), identity);
}

// Writes the first record of its kind: what begin() makes of it where the server remembers the database.
template <class Host, class Begin>
void create_record(Host &host, DurableRecord first, Begin begin) {
    if (host.remembers()) {
        host.lock_patiently();
        begin(first);
        host.unlock();
    }
    host.flush(host.write_first(first));
}
// Whether the machine was copied since the horizon was loaded: its other copies may have made more, so the first record is
// nobody's.
inline bool was_copied(const Horizon &horizon, std::uint64_t machine) noexcept {
    return horizon.record.is_loaded ? horizon.machine != machine : horizon.machine != 0;
}
template <class Host>
void create_horizon(Host &host, std::int64_t first_ms, const Creator &creator) {
    create_record(host, bare_record(first_ms, creator.identity_for(Horizon{})), [&](DurableRecord &first) {
        bool is_copied = was_copied(host.database().horizon, host.machine());
        host.in_directory(
            [&](auto &directory) { first = begin_horizon(directory, host.database(), first_ms, creator); });
        if (is_copied) first.identity = 0;
    });
}
// Above the generators that this server has taken in the database. If its machine was copied since, others may have
// taken more.
template <class Host>
void create_generators(Host &host, std::int64_t identity) {
    create_record(host, bare_record(0, identity), [&](DurableRecord &first) {
        const Generators &generators = host.database().generators;
        first.value = last_taken(generators);
        if (first.value != 0) first.identity = generators.record.known.identity;
    });
}

// Whether an instant lies so far ahead of the clock that the caller must ask for it by an argument of its own: a horizon
// there makes draws fail until the clock is near, and a mistyped date must not do that.
constexpr bool is_far_ahead(std::int64_t at_ms, std::int64_t now_ms) noexcept {
    constexpr std::int64_t hour_ms = 3600000;
    return at_ms - now_ms > hour_ms;
}

// A move says what to write instead of the page, or why nothing; then what follows from that.

// No ID below `at_ms` from here on.
struct AdvanceMove {
    static constexpr bool keeps_pairs = true;
    const ServerView &server;
    std::int64_t at_ms;

    template <class Host>
    void begin(Host &) const noexcept {}
    template <class Host>
    void agree(Host &, const DurableRecord &, PageVerdict &) const noexcept {}
    PageVerdict plan(Horizon &horizon, const DurableRecord &page) const noexcept;
    template <class Host>
    void finish(Host &host, const DurableRecord &, const DurableRecord &record) const {
        auto &database = host.database();
        host.in_directory([&](auto &directory) {
            note_advanced(database.horizon, record);
            directory.raise_slots(database, at_ms);
            lift(database.horizon.advanced_ms, at_ms);
        });
    }
};

// No ID at or above an instant was made: the only way down. The clock counts as right from here on. What was settled
// above is no longer, so the page's pairs go. A copy that is refused stays so: a reset says nothing of its shards.
//
// What the server can check, it checks: what it made since its start, what readers have read, what it owed, and the H
// that it found, above which nothing was made before. Below the last of these it is refused, unless it is forced; and as
// long as it owes. Without an instant it goes to the first one that the clock and all of this but that H allow: that may
// be right, or the poison.

// What lies above an instant.
enum class ResetBound : std::uint8_t {
    none,
    made,     // IDs that this server made since it started
    settled,  // what readers by ID have read
    owed,     // IDs that another server may have made
    found,    // the H that was found, and so maybe IDs from before
    unknown   // what was found is no H
};
struct ResetLimit {
    ResetBound bound;
    std::int64_t until_ms;  // all of that lies below it
};

struct ResetMove {
    static constexpr bool keeps_pairs = false;
    const ServerView &server;
    AcceptedClock &accepted;
    std::int64_t at_ms;  // 0: where it is safe; then, where that was
    bool is_forced;
    ResetLimit limit;        // why it is refused
    std::int64_t known_ms;   // all that is known to have been made lies below
    bool is_chosen = false;  // at_ms was 0

    // Drops the grant, so that nothing is handed out any more; then looks at what was.
    template <class Host>
    void begin(Host &host) noexcept {
        auto &database = host.database();
        database.horizon.granted_ms = 0;
        drop_pending(database.horizon);
        host.in_directory([&](auto &directory) { limit = {ResetBound::made, directory.made_ms(database)}; });
        raise_limit(ResetBound::settled, database.horizon.settled_ms);
    }
    PageVerdict plan(Horizon &horizon, const DurableRecord &page) noexcept;
    // Readers go on while it is written: from here on not beyond it, and what they have read by now lies below.
    template <class Host>
    void agree(Host &host, const DurableRecord &page, PageVerdict &verdict) noexcept {
        if (is_forced) return;
        Horizon &horizon = host.database().horizon;
        Guard guard(host.database().pairs.mutex());
        std::int64_t settled_ms = horizon.settled_ms;
        if (settled_ms > at_ms && !is_chosen) {
            limit = {ResetBound::settled, settled_ms};
            verdict = {false, {Renewal::not_above, page.value}, {}};
            return;
        }
        verdict.record.value = at_ms = std::max(at_ms, settled_ms);
        lower(horizon.durable_ms, at_ms);
    }
    template <class Host>
    void finish(Host &host, const DurableRecord &, const DurableRecord &record) const {
        auto &database = host.database();
        std::int64_t difference_ms = host.clock_difference_ms();
        host.in_directory([&](auto &directory) {
            {
                Guard guard(database.pairs.mutex());
                note_reset(database.horizon, record);
            }
            database.pairs.drop();
            directory.lower_slots(database, record.value, is_forced,
                                  [&](std::uint32_t number) { return host.number_begins_ms(number); });
            if (is_forced) {
                database.horizon.debt_boot_ms = 0;
                database.resets++;
            } else {
                // Every session's last ID lies below.
                database.made_ms = std::max(database.made_ms, known_ms);
            }
            confirm(accepted, difference_ms);
        });
    }

   private:
    void raise_limit(ResetBound bound, std::int64_t until_ms) noexcept {
        if (until_ms > limit.until_ms) limit = {bound, until_ms};
    }
};

// The shards are this server's, in the machine in which that was said: a copy of it goes on with the call, too.
struct ConfirmMove {
    static constexpr bool keeps_pairs = true;
    const ServerView &server;
    std::uint64_t machine;
    bool is_needed = true;  // else they were, as far as the page says

    template <class Host>
    void begin(Host &) const noexcept {}
    template <class Host>
    void agree(Host &, const DurableRecord &, PageVerdict &) const noexcept {}
    PageVerdict plan(Horizon &horizon, const DurableRecord &page) noexcept;
    template <class Host>
    void finish(Host &host, const DurableRecord &page, const DurableRecord &record) const {
        note_confirmed(host.database().horizon, page, record);
    }

   private:
    void note_confirmed(Horizon &horizon, const DurableRecord &page, const DurableRecord &record) const noexcept;
};

// The launch number is this server's, likewise: the next generator is taken as if this machine had taken the last one.
template <class Host>
Outcome confirm_generators(Host &host, const ServerView &server, std::uint64_t machine) {
    if (server.machine != machine) return {Renewal::resumed, 0};
    host.lock_patiently();
    RecordPage page;
    Renewal locked = host.lock_page(page);
    bool is_to_write = locked == Renewal::granted && is_copied_machine(page.record, server.owner, server.boot);
    if (is_to_write) page.record.machine = server.owner.machine;
    std::uint64_t lsn = is_to_write ? host.write_page(page) : 0;
    if (locked == Renewal::granted) host.unlock_page();
    if (is_to_write) host.flush(lsn);
    host.unlock();
    return {locked, 0};
}

// The part with the lock of renewals held; `lsn` is where the record stands in the log.
template <class Host, class Move>
Outcome move_locked(Host &host, Move &move, std::uint64_t &lsn) {
    if (host.machine() != move.server.machine) return {Renewal::busy, 0};
    note_machine(host.database().horizon, move.server.machine);
    move.begin(host);
    RecordPage page;
    Renewal locked = host.lock_page(page);
    if (locked != Renewal::granted) return {locked, 0};
    PageVerdict verdict = move.plan(host.database().horizon, page.record);
    if (verdict.is_to_write) move.agree(host, page.record, verdict);
    if (!Move::keeps_pairs) page.pairs = {};
    if (verdict.is_to_write) lsn = host.write_page({verdict.record, page.pairs});
    host.unlock_page();
    if (!verdict.is_to_write) return verdict.outcome;
    host.flush(lsn);
    move.finish(host, page.record, verdict.record);
    return granted_outcome;
}

// Moves the horizon of host.database(): granted when that is durable, else why it was not moved; busy: the machine was
// copied meanwhile, so the server is to be looked at again.
template <class Host, class Move>
Outcome move_by_hand(Host &host, Move &&move) {
    if (host.database().horizon.machine != move.server.machine) host.leave_numbers();
    host.lock_patiently();
    std::uint64_t lsn = 0;
    Outcome outcome = move_locked(host, move, lsn);
    host.unlock();
    if (outcome.renewal != Renewal::granted) return outcome;
    while (!host.is_acknowledged(lsn)) host.wait_for_standbys();
    return granted_outcome;
}

}  // namespace idgen
