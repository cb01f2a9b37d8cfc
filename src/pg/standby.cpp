#include "pg/standby.hpp"

#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

bool is_required() noexcept {
    return settings.synchronous == static_cast<int>(Synchronous::required);
}

bool is_configured() noexcept {
    return SyncRepStandbyNames != nullptr && SyncRepStandbyNames[0] != '\0';
}

}  // namespace

void require_standbys() {
    if (is_required() && !is_configured()) report_no_synchronous_standby();
}

bool is_acknowledged(XLogRecPtr lsn) {
    if (!is_configured()) return !is_required();
    LWLockAcquire(SyncRepLock, LW_SHARED);
    bool is_flushed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH] >= lsn;
    LWLockRelease(SyncRepLock);
    return is_flushed;
}

}  // namespace idgen::pg
