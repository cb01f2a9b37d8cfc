#include "pg/state/keeper_state.hpp"

namespace idgen::pg {
namespace {

// The high byte of a wait event is its class.
constexpr uint32 wait_class_mask = 0xFF000000;

bool waits_for_lock(int32 pid) noexcept {
    const PGPROC *process = BackendPidGetProc(pid);
    return process != nullptr && (process->wait_event_info & wait_class_mask) == PG_WAIT_LOCK;
}

}  // namespace

KeeperState keeper_state(int32 pid, uint32 failed_starts) noexcept {
    if (pid != 0) return waits_for_lock(pid) ? KeeperState::locked : KeeperState::runs;
    if (failed_starts > 1) return KeeperState::failing;
    bool is_loaded = failed_starts == 1 || strstr(shared_preload_libraries_string, "idgen_lease") != nullptr;
    return is_loaded ? KeeperState::starting : KeeperState::none;
}

}  // namespace idgen::pg
