#include "pg/state/standby.hpp"

#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

bool is_required(SharedState *state) noexcept {
    return pg_atomic_read_u32(&state->synchronous) == static_cast<uint32>(Synchronous::required);
}

}  // namespace

uint32 connected_standbys() noexcept {
    uint32 count = 0;
    for (int i = 0; i < max_wal_senders; i++) {
        WalSnd &sender = WalSndCtl->walsnds[i];
        SpinLockAcquire(&sender.mutex);
        bool is_streaming = sender.pid != 0 && sender.state == WALSNDSTATE_STREAMING;
        if (is_streaming && sender.sync_standby_priority > 0) count++;
        SpinLockRelease(&sender.mutex);
    }
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
