// The order in which a record is moved up, over a host that answers for the server. Horizons and generators alike:
//
//      lock of renewals --> begin --> look at what is settled --> lock and read the page --> judge --> write it, note
//      that, unlock it --> flush it, if it is needed --> is it flushed? do the standbys have it? --> note how far -->
//      grant
//
// A record is written, then flushed, then granted. Nothing is granted before it is flushed and the standbys have it, and
// nothing but the lock of renewals is held while that is waited for. A renewal ahead of need waits for nothing: it
// leaves the flush to the server, and whoever comes later grants the record if it is flushed. One record is on its way
// at a time, and whatever else is written to the page or found there drops it.
//
// A machine that is copied with its memory (horizon/machine.hpp) may be copied between any two of these steps. So what a
// session knows of its server is compared with the machine once more under the lock; and a renewal that rests on the
// machine of before grants nothing: a draw looks at the machine after its take.
//
// A `Host` has
//   std::uint64_t machine()                    as its host tells of it at this moment
//   void leave_numbers()                       none that the machine of before had from a registry is drawn from now
//   bool try_lock(), void unlock()             the lock of renewals
//   Renewal lock_page(RecordPage &page)        reads the page of the record and keeps it locked, if it can be used
//   std::uint64_t lsn()                        of the page as it was read, in the log
//   std::uint64_t write_page(const RecordPage &)   writes it; where that stands in the log
//   void unlock_page()
//   bool is_flushed(std::uint64_t lsn), void flush(std::uint64_t lsn)
//   void flush_later(std::uint64_t lsn)        has it flushed by others, soon
//   bool is_acknowledged(std::uint64_t lsn)    whether the synchronous standbys, if any, have that
//   bool is_followed()                         whether a standby may replay the page
//   SettledPair look()                         what is settled now (settled_pairs.hpp)
//   void note_write(const DurableRecord &)     a record is written, and not noted yet
//   void note_reached(std::int64_t ms)         IDs may be made up to there, from now on
//   void note_granted()                        for statistics
//   bool has_own_page()                        whether there is a page that no restored dump replaces
//   void write_unflushed(const RecordPage &)   writes it for standbys: as soon as the log is flushed for others
#pragma once

#include "core/horizon/renewal.hpp"
#include "core/reading/settled_pairs.hpp"

namespace idgen {

// What a renewal of the horizon does for readers by ID, and for the owner of numbers.
template <class Database>
struct ReadRenewal : HorizonRenewal {
    Database &database;

    // For standbys, and for transactions of this server that ask late. Not if no session reads by ID: a look lifts S,
    // below which no session draws if the clock is set back.
    template <class Host>
    void look(Host &host) {
        if (database.horizon.settled_ms.load() == 0 && !host.is_followed()) return;
        std::uint32_t drops = database.pairs.drops();
        pair = host.look();
        if (pair.until != none_settled) database.pairs.add(pair, drops);
    }
    void note_page(const PagePairs &pairs, bool is_durable) noexcept {
        note_told(horizon, pairs);
        if (has_loaded) database.pairs.add_all(pairs);
        if (is_durable) note_durable(horizon);
    }
    // A stop of the server lowers what a registry believes of its numbers to what was reached, so that is noted first.
    template <class Host>
    void grant(Host &host) {
        host.note_reached(horizon.record.pending);
        HorizonRenewal::grant();
    }
};

// The generators have no readers.
struct CounterRenewal : GeneratorRenewal {
    template <class Host>
    void look(Host &) noexcept {}
    void note_page(const PagePairs &, bool) noexcept {}
    template <class Host>
    void grant(Host &) noexcept {
        GeneratorRenewal::grant();
    }
};

// Writes what the renewal decides by the page. False if nothing is to be written: the outcome.
template <class Host, class Steps>
bool write_record(Host &host, Steps &steps, Outcome &outcome) {
    steps.look(host);
    RecordPage page;
    outcome = {host.lock_page(page), 0};
    if (outcome.renewal != Renewal::granted) return false;
    PageVerdict verdict = steps.judge(page.record);
    std::uint64_t lsn = host.lsn();
    if (verdict.is_to_write) {
        steps.renew_pairs(page.pairs);
        page.record = verdict.record;
        lsn = host.write_page(page);
        host.note_write(verdict.record);
        steps.note_written(verdict.record, lsn);
    }
    host.unlock_page();
    steps.note_page(page.pairs, host.is_flushed(lsn) && host.is_acknowledged(lsn));
    outcome = verdict.outcome;
    return verdict.is_to_write;
}

// Whether the record that was written is durable wherever it must be. It is flushed here if it is needed.
template <class Host, class Steps>
Renewal make_durable(Host &host, Steps &steps) {
    std::uint64_t lsn = steps.state().lsn;
    if (!host.is_flushed(lsn)) {
        if (steps.is_ahead()) return Renewal::not_flushed;
        host.flush(lsn);
    }
    steps.note_flushed();
    return host.is_acknowledged(lsn) ? Renewal::granted : Renewal::not_acknowledged;
}

// Grants what was written, once that is durable.
template <class Host, class Steps>
Outcome grant_written(Host &host, Steps &steps) {
    Renewal durable = make_durable(host, steps);
    if (durable != Renewal::granted) return {durable, 0};
    steps.grant(host);
    host.note_granted();
    return granted_outcome;
}

template <class Host, class Steps>
Outcome renew_locked(Host &host, Steps &steps) {
    // The session looked at its server before the machine was copied.
    if (host.machine() != steps.server.machine) return {Renewal::busy, 0};
    steps.note_machine();
    Outcome outcome = granted_outcome;
    RenewalStep step = steps.begin();
    if (step == RenewalStep::done) return outcome;
    if (step == RenewalStep::read_page) {
        if (!write_record(host, steps, outcome)) return outcome;
        if (steps.is_ahead()) host.flush_later(steps.state().lsn);
    }
    return grant_written(host, steps);
}

// Tries once to renew a record.
template <class Host, class Steps>
Outcome renew(Host &host, Steps &steps) {
    if (steps.machine() != steps.server.machine) host.leave_numbers();
    if (!host.try_lock()) return {Renewal::busy, 0};
    Outcome outcome = renew_locked(host, steps);
    host.unlock();
    return outcome;
}

// The same where a record was written before, without the page. False if there is none, or it is too low: the page is to
// be opened, and renew() called.
template <class Host, class Steps>
bool renew_by_pending(Host &host, Steps &steps, Outcome &outcome) {
    if (steps.horizon.pending_lsn.load(std::memory_order_relaxed) == 0) return false;
    outcome = {Renewal::busy, 0};
    if (!host.try_lock()) return true;
    bool is_same = host.machine() == steps.server.machine && steps.machine() == steps.server.machine;
    RenewalStep step = is_same ? steps.begin() : RenewalStep::read_page;
    outcome = step == RenewalStep::look_again ? grant_written(host, steps) : granted_outcome;
    host.unlock();
    return step != RenewalStep::read_page;
}

// Tells standbys up to where all is settled, once, after the last ID: is_to_tell (renewal.hpp) says when. The page
// keeps its record, so nothing waits for its flush.
template <class Host, class Database>
void tell_standbys(Host &host, Database &database) {
    if (!host.try_lock()) return;
    SettledPair pair = host.look();
    RecordPage page;
    if (host.lock_page(page) == Renewal::granted) {
        // Without a page of its own, what a restored dump sets still counts.
        if (host.has_own_page() && tells_more(database.horizon, page, pair)) {
            page.pairs.add(pair);
            host.write_unflushed(page);
        }
        note_told(database.horizon, page.pairs);
        host.unlock_page();
    }
    host.unlock();
}

}  // namespace idgen
