// The process that keeps the shards of this server: started by the server, and again if it ends.
#include "registry/node/keep/keeper.hpp"

#include <new>

#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"

namespace idgen::lease {
namespace {

constexpr int restart_s = 1;

const pg::LeaseGate &gate() {
    const pg::LeaseGate *gate = pg::find_lease_gate();
    if (gate == nullptr)
        ereport(FATAL, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("idgen_lease needs idgen of the same version, loaded by the server"),
                errhint("%s", pg::preload_lease_hint_for_log()));
    return *gate;
}

void publish_keeper(Latch *latch) {
    pg::SharedLeases &leases = gate().leases();
    Guard<pg::LightLock> guard(leases.lock);
    leases.registry.keeper_pid = latch == nullptr ? 0 : MyProcPid;
    leases.keeper_latch = latch;
}

void leave_sessions(int, Datum) {
    publish_keeper(nullptr);
}

// What the database or the server are set to must not change how the record is written. The keeper waits for no lock
// for long: numbers that it holds must be extended meanwhile. Not every version has all of these.
void pin_settings() {
    static const char *const pinned[][2] = {{"search_path", "pg_catalog, pg_temp"},
                                            {"synchronous_commit", "local"},
                                            {"default_transaction_read_only", "off"},
                                            {"default_transaction_isolation", "read committed"},
                                            {"statement_timeout", "0"},
                                            {"lock_timeout", "200ms"},
                                            {"transaction_timeout", "0"},
                                            {"row_security", "off"}};
    for (const auto &setting : pinned)
        if (GetConfigOption(setting[0], true, false) != nullptr)
            SetConfigOption(setting[0], setting[1], PGC_SUSET, PGC_S_OVERRIDE);
}

// Waits before this keeper begins: longer after each keeper that ended as soon as it began, for example because its
// database is missing. Each of them writes to the log.
void wait_after_failures() {
    constexpr int64 longest_s = 30;
    uint32 failed = pg_atomic_fetch_add_u32(&gate().leases().failed_starts, 1);
    if (failed == 0) return;
    int64 left_s = Min(int64{1} << Min(failed - 1, 5), longest_s) - restart_s;
    for (int64 end_ms = pg::monotonic_ms() + left_s * 1000, left_ms; !ShutdownRequestPending;) {
        left_ms = end_ms - pg::monotonic_ms();
        if (left_ms <= 0) return;
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(left_ms),
                  pg::registry_wait_event());
        ResetLatch(MyLatch);
        if (ProcSignalBarrierPending) ProcessProcSignalBarrier();
    }
    proc_exit(1);
}

void begin() {
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    BackgroundWorkerUnblockSignals();
    wait_after_failures();
    // The connection may wait for locks on catalogs, which nothing bounds yet: it ends at once on a signal.
    pqsignal(SIGTERM, die);
    // Its owner may close it to connections, and would stop the IDs of the whole server.
    BackgroundWorkerInitializeConnection(gate().settings().database, nullptr, BGWORKER_BYPASS_ALLOWCONN);
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    pin_settings();
    before_shmem_exit(leave_sessions, 0);
    publish_keeper(MyLatch);
    const char *shards = GetConfigOption("idgen.shards", true, false);
    if (shards != nullptr && strcmp(shards, "lease") == 0) pg::want_pool(gate().leases());
}

void sleep_up_to(int64 ms) {
    pgstat_report_activity(STATE_IDLE, nullptr);
    WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(ms),
              pg::registry_wait_event());
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
    if (!ConfigReloadPending) return;
    ConfigReloadPending = 0;
    ProcessConfigFile(PGC_SIGHUP);
}

// Works until the server ends this process, then ends all numbers.
void keep_numbers() {
    MemoryContext round = AllocSetContextCreate(TopMemoryContext, "idgen keeper", ALLOCSET_DEFAULT_SIZES);
    MemoryContextSwitchTo(round);
    auto *keeper = new (MemoryContextAlloc(TopMemoryContext, sizeof(Keeper))) Keeper(gate());
    while (!ShutdownRequestPending) {
        int64 pause_ms = keeper->work();
        pg_atomic_write_u32(&gate().leases().failed_starts, 0);
        sleep_up_to(pause_ms);
        MemoryContextSwitchTo(round);
        MemoryContextReset(round);
    }
    // The last calls are not to be given up for it, nor for the second signal: the server sends one to the process, and
    // one to its group.
    pg::ignore_signal(SIGTERM);
    ShutdownRequestPending = 0;
    keeper->end();
}

}  // namespace

void register_worker() {
    const char *registry = gate().settings().registry;
    if (IsBinaryUpgrade || registry == nullptr || registry[0] == '\0') return;
    BackgroundWorker worker{};
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
    worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
    worker.bgw_restart_time = restart_s;
    strlcpy(worker.bgw_library_name, "idgen_lease", BGW_MAXLEN);
    strlcpy(worker.bgw_function_name, "idgen_keep_numbers", BGW_MAXLEN);
    strlcpy(worker.bgw_name, "idgen keeper", BGW_MAXLEN);
    strlcpy(worker.bgw_type, "idgen keeper", BGW_MAXLEN);
    RegisterBackgroundWorker(&worker);
}

extern "C" PGDLLEXPORT void idgen_keep_numbers(Datum) {
    begin();
    keep_numbers();
    // The server starts it again, unless it ends itself.
    proc_exit(1);
}

}  // namespace idgen::lease
