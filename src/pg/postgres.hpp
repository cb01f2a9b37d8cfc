// The only way PostgreSQL's headers come in: the oldest version that is supported, and every difference between
// versions but those of the headers themselves.
#pragma once

#include <cstdint>

#include "pg/server_headers.hpp"

#if PG_VERSION_NUM < 150000
#error "idgen needs PostgreSQL 15 or newer"
#endif

// From 18 on a module says its name and version.
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

// Errors that the caller of a type's input function may catch without a subtransaction.
#if PG_VERSION_NUM < 160000
#define errsave(context, ...) ereport(ERROR, __VA_ARGS__)
#endif

// BUFFER_LOCK_SHARE and the like.
#if PG_VERSION_NUM < 190000
using BufferLockMode = int;
#endif

namespace idgen {

// Those of the core, too: up to 17 the server's own are others of the same size on macOS.
using int64 = std::int64_t;
using uint64 = std::uint64_t;

namespace pg {

// Writes `next` if the word is as expected; else says what it is.
inline bool compare_exchange(pg_atomic_uint64 &word, uint64 &expected, uint64 next) noexcept {
    ::uint64 found = expected;
    bool is_exchanged = pg_atomic_compare_exchange_u64(&word, &found, next);
    expected = found;
    return is_exchanged;
}

// This backend's number, from 0, below backend_limit().
inline uint32 backend_number() noexcept {
#if PG_VERSION_NUM >= 170000
    return static_cast<uint32>(MyProcNumber);
#else
    return static_cast<uint32>(MyBackendId - 1);
#endif
}

// Numbers that backends can have: processes with a PGPROC.
inline uint32 backend_limit() noexcept {
    return static_cast<uint32>(MaxBackends + NUM_AUXILIARY_PROCS);
}

// The replication origin from which this session's transaction comes; 0: none.
inline uint16 session_origin() {
#if PG_VERSION_NUM >= 190000
    return replorigin_xact_state.origin;
#else
    return replorigin_session_origin;
#endif
}

// The number of a process in ProcGlobal->allProcs: also below backend_limit(), but that of a prepared transaction.
inline uint32 process_number(const PGPROC *process) noexcept {
#if PG_VERSION_NUM >= 170000
    return static_cast<uint32>(GetNumberFromPGProc(process));
#else
    return static_cast<uint32>(process->pgprocno);
#endif
}

// The number that a process has as a backend.
inline uint32 backend_number_of(const volatile PGPROC &process) noexcept {
#if PG_VERSION_NUM >= 170000
    return static_cast<uint32>(&process - ProcGlobal->allProcs);
#else
    return static_cast<uint32>(process.backendId - 1);
#endif
}

// The local number of the transaction that a process is in; 0: it is in none.
inline const volatile LocalTransactionId *transaction_of(const PGPROC *process) noexcept {
#if PG_VERSION_NUM >= 170000
    return &process->vxid.lxid;
#else
    return &process->lxid;
#endif
}

// What the server says of the session at a place in its list, from 0.
inline const PgBackendStatus &session_status(int place) {
#if PG_VERSION_NUM >= 160000
    return pgstat_get_local_beentry_by_index(place + 1)->backendStatus;
#else
    return pgstat_fetch_stat_local_beentry(place + 1)->backendStatus;
#endif
}

// An event of pg_stat_activity, whose number is looked up once.
inline uint32 own_wait_event([[maybe_unused]] uint32 &event, [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 170000
    if (event == 0) event = WaitEventExtensionNew(name);
    return event;
#else
    return PG_WAIT_EXTENSION;
#endif
}

// What it shows while a session waits for its next tick; and while a process waits for a registry's answer.
inline uint32 tick_wait_event() {
    static uint32 event = 0;
    return own_wait_event(event, "IdgenTick");
}
inline uint32 registry_wait_event() {
    static uint32 event = 0;
    return own_wait_event(event, "IdgenRegistry");
}

// So that the WAL writer does not sleep on. The server wakes it only for a whole page of the log, or from a long sleep.
inline void wake_wal_writer() {
#if PG_VERSION_NUM >= 180000
    ProcNumber writer = ProcGlobal->walwriterProc;
    if (writer != INVALID_PROC_NUMBER) SetLatch(&GetPGProcByNumber(writer)->procLatch);
#else
    Latch *latch = ProcGlobal->walwriterLatch;
    if (latch != nullptr) SetLatch(latch);
#endif
}

inline void ignore_signal(int signal) {
#if PG_VERSION_NUM >= 190000
    pqsignal(signal, PG_SIG_IGN);
#else
    pqsignal(signal, SIG_IGN);
#endif
}

// Base64 of bytes; -1 if there is no room, or the text is not Base64.
inline int encode_base64(const char *bytes, int size, char *text, int room) {
#if PG_VERSION_NUM >= 180000
    return pg_b64_encode(reinterpret_cast<const uint8 *>(bytes), size, text, room);
#else
    return pg_b64_encode(bytes, size, text, room);
#endif
}
inline int decode_base64(const char *text, int size, char *bytes, int room) {
#if PG_VERSION_NUM >= 180000
    return pg_b64_decode(text, size, reinterpret_cast<uint8 *>(bytes), room);
#else
    return pg_b64_decode(text, size, bytes, room);
#endif
}

// Memory for a setting's `extra`, which the server frees by its own means. Null when there is none.
inline void *allocate_guc_extra(size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return malloc(size);
#endif
}
inline void free_guc_extra(void *extra) {
#if PG_VERSION_NUM >= 160000
    guc_free(extra);
#else
    free(extra);
#endif
}

// Whether commits wait for synchronous standbys, by what the checkpointer last announced to all processes: a running
// statement does not reload a setting. Before it has announced anything, right after the start, every process has the
// setting that the server began with.
inline bool has_synchronous_standbys() noexcept {
#ifdef SYNC_STANDBY_DEFINED
    uint8 status = *const_cast<volatile uint8 *>(&WalSndCtl->sync_standbys_status);
    if ((status & SYNC_STANDBY_INIT) != 0) return (status & SYNC_STANDBY_DEFINED) != 0;
    return SyncRepStandbyNames != nullptr && SyncRepStandbyNames[0] != '\0';
#else
    return *const_cast<volatile bool *>(&WalSndCtl->sync_standbys_defined);
#endif
}

// A number for a kind of lock, whose name is registered once for all processes or by each of them for itself.
inline int new_tranche([[maybe_unused]] const char *name) {
#if PG_VERSION_NUM >= 190000
    return LWLockNewTrancheId(name);
#else
    return LWLockNewTrancheId();
#endif
}
inline void name_tranche([[maybe_unused]] int tranche, [[maybe_unused]] const char *name) {
#if PG_VERSION_NUM < 190000
    LWLockRegisterTranche(tranche, name);
#endif
}

// A jsonb value, put together token by token.
class JsonbMaker {
   public:
    void push(JsonbIteratorToken token, JsonbValue *value) {
#if PG_VERSION_NUM >= 190000
        pushJsonbValue(&state_, token, value);
#else
        result_ = pushJsonbValue(&state_, token, value);
#endif
    }
    Jsonb *made() {
#if PG_VERSION_NUM >= 190000
        return JsonbValueToJsonb(state_.result);
#else
        return JsonbValueToJsonb(result_);
#endif
    }

   private:
#if PG_VERSION_NUM >= 190000
    JsonbInState state_{};
#else
    JsonbParseState *state_ = nullptr;
    JsonbValue *result_ = nullptr;
#endif
};

// Begins the set of rows that a function returns. Of the two names that 15 has, 15.0 lacks the newer one.
inline ReturnSetInfo *begin_rows(FunctionCallInfo fcinfo) {
#if PG_VERSION_NUM >= 160000
    InitMaterializedSRF(fcinfo, 0);
#else
    SetSingleFuncCall(fcinfo, 0);
#endif
    return reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
}

// The majors whose COPY, ADD COLUMN and the like were tested with what src/pg/sql/maker_support_sql.cpp makes of a call.
constexpr bool copy_is_known = PG_MAJORVERSION_NUM == 15 || (PG_MAJORVERSION_NUM >= 17 && PG_MAJORVERSION_NUM <= 19);

// Whether a role may call a function.
inline AclResult check_execute(Oid function, Oid role) {
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE);
#else
    return pg_proc_aclcheck(function, role, ACL_EXECUTE);
#endif
}

// The next value of a sort of plain values; false: there is none.
inline bool next_sorted(Tuplesortstate *sort, Datum *value, bool *is_null) {
#if PG_VERSION_NUM >= 160000
    return tuplesort_getdatum(sort, true, false, value, is_null, nullptr);
#else
    return tuplesort_getdatum(sort, true, value, is_null, nullptr);
#endif
}

// A range from one finite bound to another.
inline RangeType *make_finite_range(TypeCacheEntry *type, RangeBound *lower, RangeBound *upper) {
#if PG_VERSION_NUM >= 160000
    return make_range(type, lower, upper, false, nullptr);
#else
    return make_range(type, lower, upper, false);
#endif
}

// Ends reads and writes of buffers that an error interrupted; 16 and 17 do so with the resource owner.
inline void abort_io() {
#if PG_VERSION_NUM >= 180000
    pgaio_error_cleanup();
#elif PG_VERSION_NUM < 160000
    AbortBufferIO();
#endif
}

// Shared memory without shared_preload_libraries: made by the first session that asks. Null if the server has no
// registry of such memory.
inline void *attach_from_registry([[maybe_unused]] const char *name, [[maybe_unused]] size_t size,
                                  [[maybe_unused]] void (*initialise)(void *)) {
#if PG_VERSION_NUM >= 190000
    bool found;
    auto call = [](void *memory, void *callee) { (*static_cast<void (**)(void *)>(callee))(memory); };
    return GetNamedDSMSegment(name, size, call, &found, &initialise);
#elif PG_VERSION_NUM >= 170000
    bool found;
    return GetNamedDSMSegment(name, size, initialise, &found);
#else
    return nullptr;
#endif
}

}  // namespace pg
}  // namespace idgen
