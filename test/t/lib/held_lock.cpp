// Only for tests: holds a lock of the shared state until a file is there, or five minutes have passed. Nothing ends it
// before, since the server holds off interrupts meanwhile.
//
//      CREATE FUNCTION held_lock(name text, size bigint, which text, until text) RETURNS void
//
// `name` and `size` are those of pg_shmem_allocations.
#include <unistd.h>

#include "pg/postgres.hpp"
#include "pg/state/shared_state.hpp"

namespace {

LWLock *lock_of(idgen::pg::SharedState *state, const char *which) {
    void *lock = nullptr;
    if (strcmp(which, "directory") == 0) lock = &state->lock;
    if (strcmp(which, "prepared") == 0) lock = &state->prepared_lock;
    if (lock == nullptr) elog(ERROR, "no such lock");
    return static_cast<LWLock *>(lock);
}

}  // namespace

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(held_lock);

Datum held_lock(PG_FUNCTION_ARGS) {
    bool found;
    void *memory =
        ShmemInitStruct(text_to_cstring(PG_GETARG_TEXT_PP(0)), static_cast<Size>(PG_GETARG_INT64(1)), &found);
    LWLock *lock = lock_of(static_cast<idgen::pg::SharedState *>(memory), text_to_cstring(PG_GETARG_TEXT_PP(2)));
    const char *until = text_to_cstring(PG_GETARG_TEXT_PP(3));
    LWLockAcquire(lock, LW_EXCLUSIVE);
    constexpr int most_ms = 300000;
    for (int i = 0; i < most_ms && access(until, F_OK) != 0; i++) pg_usleep(1000);
    LWLockRelease(lock);
    PG_RETURN_VOID();
}
}
