// The module's calls of the server and of its clock, each one a step, for a module that is linked with them in between
// (./link). The setting injection.MODULE of a session says what happens before which step, counted from when it was
// set:
//
//      crash N          every process of the server is killed; readings of the clock do not count
//      error N          an error is raised; only calls that can raise one count
//      clock N LINE     the clock has another line, as test/t/lib/offset_clock.cpp reads it; only readings of it count
//
// The server's log tells of what was done.
#include "pg/postgres.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace {

char wanted[64];
int seen = 0;

// Counts from the beginning if the session asks for something else.
bool is_wanted() {
    const char *asked = GetConfigOption("injection." INJECTED_MODULE, true, false);
    if (asked == nullptr) asked = "";
    if (strcmp(asked, wanted) != 0) seen = 0;
    strlcpy(wanted, asked, sizeof(wanted));
    return wanted[0] != '\0';
}

void tell(const char *call) {
    char line[128];
    int length = snprintf(line, sizeof(line), "injection: %s: %s\n", wanted, call);
    if (write(STDERR_FILENO, line, length) != length) abort();
}

[[noreturn]] void crash() {
    kill(PostmasterPid, SIGKILL);
    for (uint32 i = 0; i < ProcGlobal->allProcCount; i++)
        if (int process = ProcGlobal->allProcs[i].pid; process > 0 && process != MyProcPid) kill(process, SIGKILL);
    kill(MyProcPid, SIGKILL);
    for (;;) pause();
}

void set_clock(const char *offset) {
    const char *path = getenv("TEXT_CLOCK");
    char beside[MAXPGPATH];
    snprintf(beside, sizeof(beside), "%s.injected", path);
    FILE *file = fopen(beside, "w");
    fprintf(file, "%s\n", offset);
    if (fclose(file) != 0 || rename(beside, path) != 0) abort();
}

enum class Call { plain, fallible, clock };

// What a setting asks for, if before the present step.
const char *at_this_step(const char *action, bool counts) {
    size_t length = strlen(action);
    if (!counts || strncmp(wanted, action, length) != 0) return nullptr;
    char *rest;
    return strtol(wanted + length, &rest, 10) == ++seen ? rest : nullptr;
}

void step(const char *name, Call call) {
    if (!is_wanted()) return;
    const char *crashes = at_this_step("crash", call != Call::clock);
    const char *fails = at_this_step("error", call == Call::fallible);
    const char *offset = at_this_step("clock", call == Call::clock);
    if (crashes == nullptr && fails == nullptr && offset == nullptr) return;
    tell(name);
    if (crashes != nullptr) crash();
    if (fails != nullptr) ereport(ERROR, errcode(ERRCODE_IO_ERROR), errmsg("injected before %s", name));
    set_clock(offset + strspn(offset, " "));
}

}  // namespace

#define STEP(result, name, parameters, arguments, kind) \
    extern "C" result __real_##name parameters;         \
    extern "C" result __wrap_##name parameters {        \
        step(#name, Call::kind);                        \
        return __real_##name arguments;                 \
    }

STEP(int, clock_gettime, (clockid_t clock, timespec *now), (clock, now), clock)
STEP(Oid, get_relname_relid, (const char *name, Oid schema), (name, schema), fallible)
STEP(bool, ConditionalLockRelationOid, (Oid relation, LOCKMODE mode), (relation, mode), fallible)
STEP(Relation, try_relation_open, (Oid relation, LOCKMODE mode), (relation, mode), fallible)
STEP(void, relation_close, (Relation relation, LOCKMODE mode), (relation, mode), plain)
STEP(void, UnlockRelationOid, (Oid relation, LOCKMODE mode), (relation, mode), plain)
STEP(bool, LWLockAcquire, (LWLock * lock, LWLockMode mode), (lock, mode), plain)
STEP(bool, LWLockConditionalAcquire, (LWLock * lock, LWLockMode mode), (lock, mode), plain)
STEP(void, LWLockRelease, (LWLock * lock), (lock), plain)
STEP(BlockNumber, RelationGetNumberOfBlocksInFork, (Relation relation, ForkNumber fork), (relation, fork), fallible)
STEP(Buffer, ReadBuffer, (Relation relation, BlockNumber block), (relation, block), fallible)
STEP(void, UnlockReleaseBuffer, (Buffer buffer), (buffer), plain)
STEP(GenericXLogState *, GenericXLogStart, (Relation relation), (relation), fallible)
STEP(Page, GenericXLogRegisterBuffer, (GenericXLogState * log, Buffer buffer, int flags), (log, buffer, flags),
     fallible)
STEP(XLogRecPtr, GenericXLogFinish, (GenericXLogState * log), (log), fallible)
STEP(void, XLogFlush, (XLogRecPtr position), (position), fallible)
STEP(void, StartTransactionCommand, (), (), fallible)
STEP(void, CommitTransactionCommand, (), (), fallible)
