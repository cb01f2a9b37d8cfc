#include "pg/horizon/horizon_admin.hpp"

#include "pg/horizon/horizon.hpp"
#include "pg/horizon/origin.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/state/accepted_clock.hpp"
#include "pg/state/database_directory.hpp"
#include "pg/state/session.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_directory.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 1000;

// The horizon, open, and kept from renewals until it is let go.
struct HeldHorizon {
    Relation sequence;
    DurablePage page;
    ClockReading clock;
    Owner owner;
    int64 foreign_origin;  // of a record without an owner
};

HeldHorizon hold_horizon(Oid schema) {
    attach_backend();
    if (lacks_standbys(self.state)) report_refused({Renewal::no_standby, 0}, Record::horizon);
    HeldHorizon held{open_sequence(schema, Record::horizon), {}, watched_clock(self.state), this_owner(), 0};
    if (is_uncommitted(held.sequence)) report_refused({Renewal::uncommitted, 0}, Record::horizon);
    if (!has_own_page(held.sequence)) held.foreign_origin = foreign_origin(schema);
    LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
    Renewal locked = lock_page(held.sequence, held.page);
    if (locked != Renewal::granted) report_refused({locked, 0}, Record::horizon);
    return held;
}

// Writes a record and flushes it; unlocks the page in between.
XLogRecPtr write_flushed(HeldHorizon &held, const DurableRecord &record) {
    XLogRecPtr lsn = write_page(held.page, record);
    unlock_page(held.page);
    XLogFlush(lsn);
    return lsn;
}

// The record that puts H there.
DurableRecord moved_record(const HeldHorizon &held, int64 at_ms, int64 identity) noexcept {
    DurableRecord record = with_origin(held.page.record, held.foreign_origin, held.owner);
    carry_owner(record, record, held.owner);
    record.value = at_ms;
    record.identity = identity;
    return record;
}

// Lets renewals go on; returns when the synchronous standbys have what was written.
void let_go(const HeldHorizon &held, XLogRecPtr lsn) {
    LWLockRelease(&self.database->renewal_lock);
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

// Above all that an earlier idgen can have made in this database: by the clock, and where that was set back
// since, by the time of the last checkpoint.
int64 first_horizon_ms() {
    int64 now_ms = wall_ms();
    int64 seen_ms = checkpoint_second() * 1000;
    if (seen_ms - now_ms > settings.max_clock_jump_ms) report_checkpoint_ahead(seen_ms, now_ms);
    // Of a second that is still to come, it may have been the end.
    if (seen_ms > now_ms) seen_ms += 999;
    return Max(now_ms, seen_ms) + settings.max_lead_ms;
}

}  // namespace

void create_horizon(Oid schema) {
    int64 first_ms = first_horizon_ms();
    // A server that did not load the library remembers nothing.
    if (find_shared_state() == nullptr) return write_first_record(schema, Record::horizon, first_ms);
    attach_backend();
    Horizon &horizon = self.database->horizon;
    LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
    // The grant ends first: what is drawn after the look rests on the new record.
    note_created(horizon, first_ms);
    first_ms = Max(first_ms, reached_ms(self.state, *self.database));
    raise(horizon.floor_ms, first_ms);
    LWLockRelease(&self.database->renewal_lock);
    write_first_record(schema, Record::horizon, first_ms);
}

void advance_horizon(Oid schema, int64 at_ms) {
    HeldHorizon held = hold_horizon(schema);
    Horizon &horizon = self.database->horizon;
    int64 found_ms = held.page.record.value;
    if (!is_horizon(found_ms)) report_refused({Renewal::out_of_bounds, found_ms}, Record::horizon);
    admit_page(horizon, held.page.record, server_identity(), held.clock, horizon_rules());
    raise(horizon.floor_ms, at_ms);
    int64 identity = identity_of_advance(horizon, server_identity());
    DurableRecord record = moved_record(held, Max(found_ms, horizon.floor_ms.load()), identity);
    XLogRecPtr lsn = write_flushed(held, record);
    note_advanced(horizon, record);
    place_slots(self.state, at_ms, false);
    let_go(held, lsn);
}

void reset_horizon(Oid schema, int64 at_ms) {
    HeldHorizon held = hold_horizon(schema);
    DurableRecord record = moved_record(held, at_ms, server_identity());
    XLogRecPtr lsn = write_flushed(held, record);
    note_reset(self.database->horizon, record);
    place_slots(self.state, at_ms, true);
    pg_atomic_fetch_add_u32(&self.database->resets, 1);
    accept_clock(self.state);
    let_go(held, lsn);
}

void confirm_shards(Oid schema) {
    attach_backend();
    PreventCommandIfReadOnly("idgen_confirm_shards()");
    confirm_origin(schema);
    HeldHorizon held = hold_horizon(schema);
    Horizon &horizon = self.database->horizon;
    bool is_expected = horizon.is_loaded && held.page.record == horizon.known;
    DurableRecord record = held.page.record;
    record.owner = held.owner.system_identifier;
    record.shards = held.owner.shards;
    XLogRecPtr lsn = write_flushed(held, record);
    if (is_expected) horizon.known = record;
    let_go(held, lsn);
}

}  // namespace idgen::pg
