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

// The horizon, open, and kept from renewals until it is let go.
struct HeldHorizon {
    Relation sequence;
    HorizonPage page;
};

HeldHorizon hold_horizon(Oid schema) {
    attach_backend();
    Relation sequence = open_horizon(schema);
    LWLockAcquire(&self.database->renewal_lock, LW_EXCLUSIVE);
    return {sequence, lock_horizon_page(sequence)};
}

void let_go(const HeldHorizon &held) {
    LWLockRelease(&self.database->renewal_lock);
    close_horizon(held.sequence);
}

// Writes H, by this server, and flushes it; unlocks the page in between.
XLogRecPtr write_flushed(HorizonPage &page, const HorizonRecord &record) {
    XLogRecPtr lsn = write_horizon_page(page, record);
    unlock_horizon_page(page);
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
    return lsn;
}

// The same for a held horizon: from here on nothing is granted until a renewal has been written above it.
XLogRecPtr move_horizon(HeldHorizon &held, int64 at_ms) {
    HorizonRecord record{at_ms, server_identity()};
    XLogRecPtr lsn = write_flushed(held.page, record);
    Horizon &horizon = self.database->horizon;
    horizon.granted_ms = 0;
    horizon.pending = {0, 0};
    horizon.known = record;
    horizon.is_loaded = true;
    return lsn;
}

void wait_for_standbys(XLogRecPtr lsn) {
    while (!is_acknowledged(lsn)) sleep_us(poll_us);
}

// CREATE EXTENSION on a server that did not load the library: there is no state to move with the page.
void create_detached(Oid schema) {
    Relation sequence = open_horizon(schema);
    HorizonPage page = lock_horizon_page(sequence);
    write_flushed(page, {wall_ms(), server_identity()});
    close_horizon(sequence);
}

}  // namespace

void create_horizon(Oid schema) {
    if (find_shared_state() == nullptr) return create_detached(schema);
    HeldHorizon held = hold_horizon(schema);
    Horizon &horizon = self.database->horizon;
    move_horizon(held, Max(wall_ms(), Max(horizon.granted_ms.load(), horizon.floor_ms.load())));
    let_go(held);
}

void advance_horizon(Oid schema, int64 at_ms) {
    require_standbys();
    HeldHorizon held = hold_horizon(schema);
    Horizon &horizon = self.database->horizon;
    check_bounds(held.page);
    admit_page(horizon, held.page.record, server_identity(), wall_ms(), horizon_rules());
    raise(horizon.floor_ms, at_ms);
    XLogRecPtr lsn = move_horizon(held, Max(held.page.record.horizon_ms, horizon.floor_ms.load()));
    place_slots(self.state, at_ms, false);
    let_go(held);
    wait_for_standbys(lsn);
}

void reset_horizon(Oid schema, int64 at_ms) {
    require_standbys();
    HeldHorizon held = hold_horizon(schema);
    XLogRecPtr lsn = move_horizon(held, at_ms);
    self.database->horizon.floor_ms = at_ms;
    place_slots(self.state, at_ms, true);
    pg_atomic_fetch_add_u32(&self.database->resets, 1);
    accept_clock(self.state);
    let_go(held);
    wait_for_standbys(lsn);
}

}  // namespace idgen::pg
