#include "pg/horizon/horizon.hpp"

#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/origin.hpp"
#include "pg/horizon/stall.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_clock.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/report/report_log.hpp"
#include "pg/state/accepted_clock.hpp"
#include "pg/state/log_limit.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

// How long a session sleeps between looks at a renewal that others must finish.
constexpr int64 renewal_poll_us = 200;

// One try of a renewal: what it read before it locked anything, and what it found on the page.
struct Attempt {
    Oid schema;
    int64 start_ms;  // of the tick that needs it
    ClockReading clock;
    uint32 confirmations;  // of the clock, before it was read
    Owner owner;
    int64 foreign_origin;  // of a record without an owner; 0: this server
    bool has_loaded;       // the record was read as after a start, and is this:
    DurableRecord loaded;
};

// Looks whether the kernel says that its clock is right, if that is required.
Outcome check_clock_sync() {
    auto required = static_cast<RequireClockSync>(settings.require_clock_sync);
    if (required == RequireClockSync::off || is_clock_synchronised()) return {Renewal::granted, 0};
    if (required == RequireClockSync::on) return {Renewal::clock_not_synchronised, 0};
    if (may_log(self.state, Cause::clock_not_synchronised)) warn_clock_not_synchronised();
    return {Renewal::granted, 0};
}

// The record of a renewal, or why none may be written. Requires the renewal lock and an admitted page.
Outcome make_record(SharedDatabase &database, const Attempt &attempt, DurableRecord &record) noexcept {
    DurableRecord known = with_origin(database.horizon.known, attempt.foreign_origin, attempt.owner);
    bool may_be_copy = settings.on_copy != static_cast<int>(OnCopy::refuse);
    if (!may_be_copy && is_copy(known, attempt.owner)) return {Renewal::copied, known.owner};
    int64 accepted_ms = accepted_clock_ms(self.state, &database, known);
    ClockVerdict verdict = judge_clock(accepted_ms, attempt.clock, known.value, clock_rules());
    if (!verdict.is_accepted) return {Renewal::clock_jumped, verdict.jump_ms, clock_rules().max_jump_ms};
    if (verdict.is_for_server) raise_accepted_clock(self.state, verdict.accepted_ms);
    int64 horizon_ms = renewed_ms(database.horizon, attempt.clock.now_ms, attempt.start_ms, horizon_rules());
    record = bare_record(horizon_ms, server_identity());
    carry_owner(record, known, attempt.owner);
    carry_clock(record, verdict.accepted_ms, self.state->boot);
    return {Renewal::granted, 0};
}

// Admits the page, makes the record and writes it; `lsn` stays invalid where nothing is to be written.
// Requires the renewal lock.
Outcome write_record(SharedDatabase &database, DurablePage &page, Attempt &attempt, DurableRecord &record,
                     XLogRecPtr &lsn) {
    Horizon &horizon = database.horizon;
    if (!is_horizon(page.record.value)) return {Renewal::out_of_bounds, page.record.value};
    attempt.has_loaded = !horizon.is_loaded;
    attempt.loaded = with_origin(page.record, attempt.foreign_origin, attempt.owner);
    bool is_admitted = admit_page(horizon, page.record, server_identity(), attempt.clock, horizon_rules());
    if (!is_admitted || !may_renew(horizon, attempt.start_ms)) return {Renewal::granted, 0};
    Outcome made = make_record(database, attempt, record);
    if (made.renewal == Renewal::granted) lsn = write_page(page, record);
    return made;
}

// Writes a renewal to the page, flushed. Requires the renewal lock.
Outcome write_renewal(SharedDatabase &database, Relation sequence, Attempt &attempt) {
    DurablePage page;
    Renewal locked = lock_page(sequence, page);
    if (locked != Renewal::granted) return {locked, 0};
    DurableRecord record{};
    XLogRecPtr lsn = InvalidXLogRecPtr;
    Outcome written = write_record(database, page, attempt, record, lsn);
    unlock_page(page);
    if (XLogRecPtrIsInvalid(lsn)) return written;
    XLogFlush(lsn);
    note_flushed(database.horizon, record);
    database.pending_lsn = lsn;
    database.confirmations = attempt.confirmations;
    return written;
}

// Under the renewal lock: what is pending is granted or waited for, and only then more is written.
Outcome renew_locked(SharedDatabase &database, Relation sequence, Attempt &attempt) {
    Horizon &horizon = database.horizon;
    // Another session was first.
    if (!is_half_used(horizon.granted_ms, attempt.start_ms, settings.horizon_window_ms))
        return {Renewal::granted, 0};
    if (horizon.pending_ms <= attempt.start_ms) {
        Outcome written = write_renewal(database, sequence, attempt);
        if (written.renewal != Renewal::granted || horizon.pending_ms == 0) return written;
    }
    if (!is_acknowledged(self.state, database.pending_lsn)) return {Renewal::not_acknowledged, 0};
    grant_pending(horizon);
    pg_atomic_fetch_add_u64(&database.renewals, 1);
    pg_atomic_write_u64(&database.renewed_ms, static_cast<uint64>(wall_ms()));
    return {Renewal::granted, 0};
}

// Tells the log what a record that was loaded says of this server. No lock is held.
void look_at_loaded(const Attempt &attempt) {
    const DurableRecord &loaded = attempt.loaded;
    int64 behind_ms = attempt.clock.now_ms - loaded.value;
    if (behind_ms > settings.max_clock_jump_ms) log_horizon_behind(loaded.value, behind_ms);
    if (is_copy(loaded, attempt.owner))
        log_copy(loaded.owner);
    else if (loaded.owner == attempt.owner.system_identifier && loaded.identity != server_identity())
        log_promoted();
}

Outcome renew_open(Relation sequence, Attempt &attempt) {
    if (is_uncommitted(sequence)) return {Renewal::uncommitted, 0};
    if (!has_own_page(sequence)) attempt.foreign_origin = foreign_origin(attempt.schema);
    if (!LWLockConditionalAcquire(&self.database->renewal_lock, LW_EXCLUSIVE)) return {Renewal::busy, 0};
    Outcome outcome = renew_locked(*self.database, sequence, attempt);
    LWLockRelease(&self.database->renewal_lock);
    return outcome;
}

Outcome try_renewal(Oid schema, int64 start_ms) {
    Attempt attempt{};
    attempt.schema = schema;
    attempt.start_ms = start_ms;
    attempt.confirmations = clock_confirmations(self.state);
    attempt.clock = watched_clock(self.state);
    attempt.owner = this_owner();
    if (lacks_standbys(self.state)) return {Renewal::no_standby, 0};
    Outcome outcome = check_clock_sync();
    if (outcome.renewal != Renewal::granted) return outcome;
    Relation sequence = nullptr;
    outcome.renewal = try_open_sequence(schema, Record::horizon, sequence);
    if (outcome.renewal != Renewal::granted) return outcome;
    outcome = renew_open(sequence, attempt);
    close_sequence(sequence);
    if (attempt.has_loaded) look_at_loaded(attempt);
    return outcome;
}

}  // namespace

Outcome renew_horizon(Oid schema, int64 start_ms) {
    pg_atomic_uint64 &stall = self.database->stall;
    uint64 before = pg_atomic_read_u64(&stall);
    uint64 asked = extended_stall(before, monotonic_ms());
    uint64 expected = before;
    pg_atomic_compare_exchange_u64(&stall, &expected, asked);
    Outcome outcome = try_renewal(schema, start_ms);
    if (outcome.renewal == Renewal::granted)
        pg_atomic_write_u64(&stall, 0);
    else if (outcome.renewal == Renewal::busy)  // the other session's request counts, not this one
        pg_atomic_compare_exchange_u64(&stall, &asked, before);
    return outcome;
}

void renew_or_wait(Oid schema, int64 start_ms, int64 &wait_began_ms) {
    Outcome outcome = renew_horizon(schema, start_ms);
    if (outcome.renewal == Renewal::granted) return;
    if (is_refused(outcome.renewal)) report_refused(outcome, Record::horizon);
    if (waited_since(wait_began_ms) >= longest_wait_ms(outcome.renewal))
        report_not_renewed(outcome.renewal, Record::horizon, settings.max_wait_ms);
    sleep_us(renewal_poll_us);
}

void renew_ahead(Oid schema, const Limits &limits, int64 start_ms) {
    static int64 last_try_ms = 0;
    if (limits.now_ms == last_try_ms) return;
    last_try_ms = limits.now_ms;
    renew_horizon(schema, start_ms);
}

}  // namespace idgen::pg
