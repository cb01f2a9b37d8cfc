#include "pg/horizon_admin.hpp"

#include "pg/clock.hpp"
#include "pg/horizon.hpp"
#include "pg/horizon_page.hpp"
#include "pg/session.hpp"
#include "pg/settings.hpp"
#include "pg/slot_directory.hpp"
#include "pg/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 1000;

// Waits for the lock that renewals take conditionally.
Relation open_horizon(Oid schema) {
    for (;;) {
        if (Relation sequence = try_open_horizon(schema)) return sequence;
        sleep_us(poll_us);
    }
}

// Writes H, by this server, and flushes it; unlocks the page in between.
XLogRecPtr write_flushed(HorizonPage &page, int64 at_ms, HorizonRecord &record) {
    record = {at_ms, server_identity()};
    XLogRecPtr lsn = write_horizon_page(page, record);
    unlock_horizon_page(page);
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
    return lsn;
}

// From here on nothing is granted until a renewal has been written above the record.
void note_moved(Horizon &horizon, const HorizonRecord &record) noexcept {
    horizon.granted_ms = 0;
    horizon.pending = {0, 0};
    horizon.known = record;
    horizon.is_loaded = true;
}

void wait_for_standbys(XLogRecPtr lsn) {
    while (!is_acknowledged(lsn)) sleep_us(poll_us);
}

}  // namespace

void create_horizon(Oid schema) {
    Relation sequence = open_horizon(schema);
    HorizonRecord record;
    if (find_shared_state() == nullptr) {
        HorizonPage page = lock_horizon_page(sequence);
        write_flushed(page, wall_ms(), record);
    } else {
        attach_backend();
        Horizon &horizon = self.database->horizon;
        LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
        HorizonPage page = lock_horizon_page(sequence);
        write_flushed(page, Max(wall_ms(), Max(horizon.granted_ms.load(), horizon.floor_ms.load())), record);
        note_moved(horizon, record);
        LWLockRelease(&self.database->renewal_lock);
    }
    close_horizon(sequence);
}

void advance_horizon(Oid schema, int64 at_ms) {
    require_standbys();
    attach_backend();
    Horizon &horizon = self.database->horizon;
    Relation sequence = open_horizon(schema);
    LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
    HorizonPage page = lock_horizon_page(sequence);
    check_bounds(page);
    admit_page(horizon, page.record, server_identity(), wall_ms(), horizon_rules());
    raise(horizon.floor_ms, at_ms);
    HorizonRecord record;
    XLogRecPtr lsn = write_flushed(page, Max(page.record.horizon_ms, horizon.floor_ms.load()), record);
    note_moved(horizon, record);
    place_slots(self.state, at_ms, false);
    LWLockRelease(&self.database->renewal_lock);
    close_horizon(sequence);
    wait_for_standbys(lsn);
}

void reset_horizon(Oid schema, int64 at_ms) {
    require_standbys();
    attach_backend();
    Horizon &horizon = self.database->horizon;
    Relation sequence = open_horizon(schema);
    LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
    HorizonPage page = lock_horizon_page(sequence);
    HorizonRecord record;
    XLogRecPtr lsn = write_flushed(page, at_ms, record);
    note_moved(horizon, record);
    horizon.floor_ms = at_ms;
    place_slots(self.state, at_ms, true);
    pg_atomic_fetch_add_u32(&self.database->resets, 1);
    accept_clock(self.state);
    LWLockRelease(&self.database->renewal_lock);
    close_horizon(sequence);
    wait_for_standbys(lsn);
}

}  // namespace idgen::pg
