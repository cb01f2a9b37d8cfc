#include "pg/horizon/horizon_admin.hpp"

#include "core/durable/renewal.hpp"
#include "core/issue/moves.hpp"
#include "core/kinds/decimal_id.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/origin.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/report/words.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 1000;

// The horizon, open, and kept from renewals until it is let go.
struct HeldHorizon {
    Relation sequence;
    DurablePage page;
    ServerView server;
};

// Reads the origin of a database whose horizon has no page of its own yet.
void wait_for_origin(HeldHorizon &held) {
    if (has_own_page(held.sequence)) return;
    while (read_foreign_origin(held.server.foreign_origin) != Renewal::granted) sleep_us(poll_us);
}

// `what` is the call that holds it.
HeldHorizon hold_horizon(const char *what) IDGEN_LOCKS(acquire_capability(self.database->renewal_lock)) {
    attach_backend();
    require_one_state(what);
    if (lacks_standbys(self.state)) report_refused({Renewal::no_standby, 0}, Record::horizon);
    HeldHorizon held{open_sequence(Record::horizon), {}, this_server()};
    if (is_uncommitted(held.sequence)) report_refused({Renewal::uncommitted, 0}, Record::horizon);
    wait_for_origin(held);
    self.database->renewal_lock.lock_patiently();
    Renewal locked = lock_page(held.sequence, held.page);
    if (locked != Renewal::granted) report_refused({locked, 0}, Record::horizon);
    return held;
}

// Writes a record and flushes it; unlocks the page in between.
XLogRecPtr write_flushed(HeldHorizon &held, const DurableRecord &record) {
    XLogRecPtr lsn = write_page(held.page, {record, held.page.pairs});
    unlock_page(held.page);
    XLogFlush(lsn);
    return lsn;
}

// Lets renewals go on; returns when the synchronous standbys have what was written.
void let_go(const HeldHorizon &held, XLogRecPtr lsn) IDGEN_LOCKS(release_capability(self.database->renewal_lock)) {
    self.database->renewal_lock.unlock();
    close_sequence(held.sequence);
    while (!is_acknowledged(self.state, lsn)) sleep_us(poll_us);
}

// The second in which the last checkpoint of this server was, by its clock then; 0: not known.
int64 checkpoint_second() {
    bool is_intact = false;
    LWLockAcquire(ControlFileLock, LW_SHARED);
    ControlFileData *control = get_controlfile(DataDir, &is_intact);
    LWLockRelease(ControlFileLock);
    int64 second = is_intact ? control->checkPointCopy.time : 0;
    pfree(control);
    return second;
}

// The clock once that second is over, if it is now: H would lie above its end, and the first ID would wait as long. Of
// a clock that stands still, as it is.
int64 clock_after(int64 second) {
    int64 began_ms = 0;
    int64 now_ms = wall_ms();
    for (; now_ms / 1000 == second && waited_since(began_ms) < 1000; now_ms = wall_ms()) sleep_us(poll_us);
    return now_ms;
}

// Raises if the last checkpoint lies too far ahead of the clock to go by either.
int64 first_horizon() {
    int64 checkpoint_s = checkpoint_second();
    int64 now_ms = clock_after(checkpoint_s);
    int64 checkpoint_ms = checkpoint_s * 1000;
    if (checkpoint_ms - now_ms > settings.max_clock_jump_ms)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock is %s behind this server's last checkpoint", duration_text(checkpoint_ms - now_ms)),
                errdetail("The clock says %s, the checkpoint says %s. IDs of an earlier idgen may lie between.",
                          instant_text(now_ms), instant_text(checkpoint_ms)),
                errhint("Correct the clock; or, if it is right now, CHECKPOINT and try again."));
    return first_horizon_ms(now_ms, checkpoint_s, settings.max_lead_ms);
}

// Begins the horizon above what this server remembers of the database. Gives the first record.
DurableRecord begin_known_horizon(int64 first_ms, int64 identity) {
    PatientGuard renewals(self.database->renewal_lock);
    Guard<LightLock> guard(self.state->lock);
    return begin_horizon(directory_of(self.state), *self.database, first_ms, identity);
}

}  // namespace

void create_horizon() {
    DurableRecord first = bare_record(first_horizon(), server_identity());
    // A server that did not load the library remembers nothing.
    if (find_shared_state() != nullptr) {
        attach_backend();
        require_one_state("CREATE EXTENSION");
        first = begin_known_horizon(first.value, first.identity);
    }
    write_first_record(Record::horizon, first);
}

void advance_horizon(int64 at_ms) {
    HeldHorizon held = hold_horizon("idgen.advance()");
    SharedDatabase &database = *self.database;
    PageVerdict verdict = plan_advance(database.horizon, held.page.record, held.server, at_ms);
    if (!verdict.is_to_write) report_refused(verdict.outcome, Record::horizon);
    XLogRecPtr lsn = write_flushed(held, verdict.record);
    {
        Guard<LightLock> guard(self.state->lock);
        SlotDirectory directory = directory_of(self.state);
        finish_advance(directory, database, verdict.record, at_ms);
    }
    pg_atomic_write_u64(&database.advanced_ms,
                        Max(pg_atomic_read_u64(&database.advanced_ms), static_cast<uint64>(at_ms)));
    let_go(held, lsn);
}

void reset_horizon(int64 at_ms) {
    HeldHorizon held = hold_horizon("idgen.reset()");
    DurableRecord record = plan_reset(held.page.record, held.server, at_ms);
    held.page.pairs = {};
    XLogRecPtr lsn = write_flushed(held, record);
    int64 difference_ms = wall_minus_boot_ms();
    {
        Guard<LightLock> guard(self.state->lock);
        SlotDirectory directory = directory_of(self.state);
        finish_reset(directory, *self.database, record, self.state->accepted_clock, difference_ms);
    }
    pg_atomic_write_u64(&self.database->advanced_ms, 0);
    let_go(held, lsn);
}

void confirm_shards() {
    attach_backend();
    PreventCommandIfReadOnly("idgen.confirm_shards()");
    HeldHorizon held = hold_horizon("idgen.confirm_shards()");
    DurableRecord page = held.page.record;
    DurableRecord record = plan_confirmation(page, held.server);
    XLogRecPtr lsn = write_flushed(held, record);
    finish_confirmation(self.database->horizon, page, record, held.server.identity);
    let_go(held, lsn);
    mirror_origin(record.owner);
}

}  // namespace idgen::pg
