// Does what a renewal of the core asks for (core/durable/renewal.hpp): opens the sequence of a record, locks and writes
// its page, flushes it, asks the synchronous standbys; in this order, also for a caller with synchronous_commit = off.
// Horizons and generators alike.
#pragma once

#include "pg/horizon/durable_page.hpp"
#include "pg/state/source.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {

// Writes what the renewal decides by the page, flushed. False if nothing is to be written: the outcome.
template <class Kind>
bool write_locked(Kind &renewal, Relation sequence, Outcome &outcome)
    IDGEN_LOCKS(requires_capability(self.database->renewal_lock)) {
    renewal.look();
    DurablePage page;
    outcome = {lock_page(sequence, page), 0};
    if (outcome.renewal != Renewal::granted) return false;
    PageVerdict verdict = renewal.judge(page.record);
    if (verdict.is_to_write) renewal.renew_pairs(page.pairs);
    XLogRecPtr lsn = verdict.is_to_write ? write_page(page, verdict.record) : position_of(page);
    unlock_page(page);
    renewal.note_page(page, lsn <= GetFlushRecPtr(nullptr) && is_acknowledged(self.state, lsn));
    outcome = verdict.outcome;
    if (!verdict.is_to_write) return false;
    XLogFlush(lsn);
    renewal.note_flushed(verdict.record, lsn);
    return true;
}

template <class Kind>
Outcome renew_locked(Kind &renewal, Relation sequence) IDGEN_LOCKS(requires_capability(self.database->renewal_lock)) {
    Outcome outcome = granted_outcome;
    RenewalStep step = renewal.begin();
    if (step == RenewalStep::done) return outcome;
    if (step == RenewalStep::read_page && !write_locked(renewal, sequence, outcome)) return outcome;
    if (!is_acknowledged(self.state, renewal.position())) return {Renewal::not_acknowledged, 0};
    renewal.grant();
    return granted_outcome;
}

// Tries once to renew a record whose sequence is open.
template <class Kind>
Outcome renew_open(Kind &renewal, Relation sequence) {
    if (!self.database->renewal_lock.try_lock()) return {Renewal::busy, 0};
    Outcome outcome = renew_locked(renewal, sequence);
    self.database->renewal_lock.unlock();
    return outcome;
}

// Calls renew(sequence) for the sequence of a record, if it can be opened and written to.
template <class Renew>
Outcome with_sequence(Record kind, Renew renew) {
    Relation sequence = nullptr;
    Renewal opened = try_open_sequence(kind, sequence);
    if (opened != Renewal::granted) return {opened, 0};
    Outcome outcome{Renewal::uncommitted, 0};
    if (!is_uncommitted(sequence)) outcome = renew(sequence);
    close_sequence(sequence);
    return outcome;
}

// Moves the durable horizon of a database up: looks at the clock, then does what the core decides. No lock is held
// while anything is waited for: a session whose renewal is not granted yet comes back and asks again.

// What this server knows of itself and of its clock; `foreign_origin` is of the caller.
ServerView this_server();

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Says what keeps it from being
// granted: a clock that jumped or is not synchronized, a page that cannot be used, a lock.
Outcome renew_horizon(int64 start_ms);

// Reads what a start left, if it can be read now, and nothing of that is known yet. Writes nothing, and does not judge
// the clock.
void load_horizon();

// Writes up to where all is settled, for standbys, if that is due (core/durable/renewal.hpp). Never waits; what fails
// now, the commit of another transaction makes good. For each commit: the session need not be attached.
void tell_standbys();

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond, which `now_ms` is. What is
// refused or fails, the next draw that needs it says: here an ID has been taken, and it is good.
void renew_ahead(int64 now_ms, int64 start_ms);

// The server's main process is gone; ends the session.
[[noreturn]] void report_postmaster_dead();

// Raises if the postmaster is dead: another server may have taken this one's place. To be asked after a take, before
// what was taken is handed out.
inline void require_postmaster() {
    if (unlikely(!PostmasterIsAlive())) report_postmaster_dead();
}

// Takes the generators of DecimalIds (core/durable/durable_record.hpp): that one is taken is durable before it is used.

// Tries once to have a generator with a counter left.
Outcome renew_generator();

// Writes the first record of the generators, above what this server has taken in this database before.
void create_generators();

}  // namespace idgen::pg
