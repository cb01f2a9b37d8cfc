// Does what a renewal of the core asks for (core/durable/renewal.hpp): opens the sequence of a record, locks
// and writes its page, flushes it, asks the synchronous standbys; in this order, also for a caller with
// synchronous_commit = off. Horizons and generators alike.
#pragma once

#include "pg/horizon/durable_page.hpp"
#include "pg/state/session.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {

// Writes what the renewal decides by the page, flushed. False where nothing is to be written: the outcome.
template <class Kind>
bool write_locked(Kind &renewal, Relation sequence, Outcome &outcome)
    IDGEN_LOCKS(requires_capability(self.database->renewal_lock)) {
    DurablePage page;
    outcome = {lock_page(sequence, page), 0};
    if (outcome.renewal != Renewal::granted) return false;
    PageVerdict verdict = renewal.judge(page.record);
    XLogRecPtr lsn = verdict.is_to_write ? write_page(page, verdict.record) : InvalidXLogRecPtr;
    unlock_page(page);
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

// Calls renew(sequence) for the sequence of a record, where it can be opened and written to.
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

}  // namespace idgen::pg
