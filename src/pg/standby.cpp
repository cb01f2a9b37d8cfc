#include "pg/standby.hpp"

#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

bool is_required() noexcept {
    return settings.synchronous == static_cast<int>(Synchronous::required);
}

}  // namespace

bool has_standby_names() noexcept {
    return SyncRepStandbyNames != nullptr && SyncRepStandbyNames[0] != '\0';
}

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

void require_standbys() {
    if (is_required() && !has_standby_names()) report_no_synchronous_standby();
}

bool is_acknowledged(XLogRecPtr lsn) {
    if (!has_standby_names()) return !is_required();
    LWLockAcquire(SyncRepLock, LW_SHARED);
    bool is_flushed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH] >= lsn;
    LWLockRelease(SyncRepLock);
    return is_flushed;
}

}  // namespace idgen::pg
