#include "pg/state/libraries.hpp"

#include <atomic>

#include "pg/host/own_extension.hpp"

namespace idgen::pg {
namespace {

// Never change: libraries of all versions share it.
struct SharedSession {
    std::atomic<uint32> loaded;  // the number of its library's state; 0: it has not loaded one
    std::atomic<uint32> state;   // the same, once it has joined that state; else 0
    std::atomic<uint32> pid;     // its process; written first
};
struct SharedLibraries {
    std::atomic<uint32> newest;  // the highest number of a state that there is
    std::atomic<uint32> count;   // of the sessions; written first
    SharedSession sessions[FLEXIBLE_ARRAY_MEMBER];
};
static_assert(sizeof(SharedSession) == 12 && offsetof(SharedLibraries, sessions) == 8,
              "libraries of all versions share it");

SharedLibraries *libraries = nullptr;
uint32 own_state = 0;

size_t libraries_size() noexcept {
    return sizeof(SharedLibraries) + backend_limit() * sizeof(SharedSession);
}

void initialise(void *memory) {
    memset(memory, 0, libraries_size());
    static_cast<SharedLibraries *>(memory)->count = backend_limit();
}

SharedSession &own_session() {
    return libraries->sessions[backend_number()];
}

void leave(int, Datum) {
    own_session().state = 0;
    own_session().loaded = 0;
}

[[noreturn]] void report_replaced() {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("this session has an older library of idgen than others"),
            errdetail("It loaded idgen %s; the file was replaced since, and other sessions have drawn by the new one.",
                      library_version()),
            errhint("Reconnect. If the new file is the older one, restart the server."));
}

// The processes that have joined another state, of up to `most` sessions; empty: there are none.
const char *strangers(uint32 most) {
    StringInfo pids = makeStringInfo();
    uint32 found = 0;
    for (uint32 i = 0; i < libraries->count.load(); i++) {
        uint32 state = libraries->sessions[i].state.load();
        if (state == 0 || state == own_state) continue;
        if (found++ < most) appendStringInfo(pids, "%s%u", found == 1 ? "" : ", ", libraries->sessions[i].pid.load());
    }
    if (found > most) appendStringInfo(pids, " and %u more", found - most);
    return pids->data;
}

}  // namespace

bool note_library(uint32 number) {
    if (own_state != 0) return true;
    libraries = static_cast<SharedLibraries *>(attach_from_registry("idgen libraries", libraries_size(), initialise));
    if (libraries == nullptr) return false;
    own_session().state = 0;
    own_session().pid = static_cast<uint32>(MyProcPid);
    own_session().loaded = number;
    before_shmem_exit(leave, 0);
    own_state = number;
    return true;
}

void require_leaders_library() {
    if (libraries == nullptr || !IsParallelWorker()) return;
    const PGPROC *leader = MyProc->lockGroupLeader;
    const SharedSession &session = libraries->sessions[backend_number_of(*leader)];
    bool is_leaders = session.pid.load() == static_cast<uint32>(leader->pid);
    if (is_leaders && session.loaded.load() == own_state) return;
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("cannot make IDs in a parallel worker whose session has not loaded the same library of idgen"),
        errdetail(
            "Before the session commits or prepares its transaction, it would not ask for what the worker was given."),
        errhint(
            "Run SELECT idgen.own_shards() in the session first, or add idgen to session_preload_libraries or shared_preload_libraries. If the library's file was replaced since, reconnect."));
}

void note_state(uint32 number) {
    if (!note_library(number)) return;
    uint32 newest = libraries->newest.load();
    while (newest < number && !libraries->newest.compare_exchange_weak(newest, number)) {
    }
}

void join_state() {
    if (libraries == nullptr) return;
    own_session().state = own_state;
    if (libraries->newest.load() == own_state) return;
    own_session().state = 0;
    report_replaced();
}

void require_newest_state() {
    if (libraries != nullptr && libraries->newest.load() != own_state) report_replaced();
}

void require_one_state(const char *what) {
    if (libraries == nullptr) return;
    constexpr uint32 most = 10;
    const char *pids = strangers(most);
    if (pids[0] == '\0') return;
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("cannot call %s while sessions have another library of idgen", what),
        errdetail(
            "The library's file was replaced while the server ran. Sessions of one do not see what those of the other do: processes %s.",
            pids),
        errhint("Have the older sessions reconnect, end them with pg_terminate_backend(), or restart the server."));
}

}  // namespace idgen::pg
