#include "pg/state/standby.hpp"

#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

bool is_required(SharedState *state) noexcept {
    return pg_atomic_read_u32(&state->synchronous) == static_cast<uint32>(Synchronous::required);
}

// The process that streams by a walsender of such a priority among the synchronous ones, or above; 0: none does.
pid_t streaming_pid(WalSnd &sender, int least_priority) noexcept {
    SpinLockAcquire(&sender.mutex);
    bool is_meant = sender.state == WALSNDSTATE_STREAMING && sender.sync_standby_priority >= least_priority;
    pid_t pid = is_meant ? sender.pid : 0;
    SpinLockRelease(&sender.mutex);
    return pid;
}

// A walsender of a subscriber belongs to its database; one of a standby to none.
bool is_streaming_to_standby(WalSnd &sender) {
    pid_t pid = streaming_pid(sender, 0);
    PGPROC *process = pid == 0 ? nullptr : BackendPidGetProc(pid);
    return process != nullptr && !OidIsValid(process->databaseId);
}

// A slot that outlives its session. Without ReplicationSlotControlLock, which those who make slots wait for: what a
// slot says as it comes or goes may be old.
bool is_slot_of_standby(ReplicationSlot &slot) noexcept {
    SpinLockAcquire(&slot.mutex);
    bool is_meant = slot.in_use && slot.data.persistency == RS_PERSISTENT && !OidIsValid(slot.data.database);
    SpinLockRelease(&slot.mutex);
    return is_meant;
}

}  // namespace

bool has_standby() {
    for (int i = 0; i < max_wal_senders; i++)
        if (is_streaming_to_standby(WalSndCtl->walsnds[i])) return true;
    for (int i = 0; i < max_replication_slots; i++)
        if (is_slot_of_standby(ReplicationSlotCtl->replication_slots[i])) return true;
    return false;
}

bool is_followed() {
    return XLogStandbyInfoActive() && (XLogArchivingActive() || has_standby());
}

uint32 connected_standbys() noexcept {
    uint32 count = 0;
    for (int i = 0; i < max_wal_senders; i++)
        if (streaming_pid(WalSndCtl->walsnds[i], 1) != 0) count++;
    return count;
}

bool lacks_standbys(SharedState *state) noexcept {
    return is_required(state) && !has_synchronous_standbys();
}

bool is_acknowledged(SharedState *state, XLogRecPtr lsn) {
    if (!has_synchronous_standbys()) return !is_required(state);
    LWLockAcquire(SyncRepLock, LW_SHARED);
    bool is_flushed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH] >= lsn;
    LWLockRelease(SyncRepLock);
    return is_flushed;
}

}  // namespace idgen::pg
