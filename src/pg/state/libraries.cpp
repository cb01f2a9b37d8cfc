#include "pg/state/libraries.hpp"

#include <atomic>

#include "pg/host/own_extension.hpp"

namespace idgen::pg {
namespace {

// Never change: libraries of all versions share it.
struct SharedSession {
    std::atomic<uint32> state;  // the number of the state that it has joined; 0: none
    std::atomic<uint32> pid;    // its process; written first
};
struct SharedLibraries {
    std::atomic<uint32> newest;  // the highest number of a state that there is
    std::atomic<uint32> count;   // of the sessions; written first
    SharedSession sessions[FLEXIBLE_ARRAY_MEMBER];
};
static_assert(sizeof(SharedSession) == 8 && offsetof(SharedLibraries, sessions) == 8,
              "libraries of all versions share it");
constexpr const char *libraries_name = "idgen libraries";

SharedLibraries *libraries = nullptr;
uint32 own_state = 0;

void initialise(void *memory) {
    memset(memory, 0, sizeof(SharedLibraries) + backend_limit() * sizeof(SharedSession));
    static_cast<SharedLibraries *>(memory)->count = backend_limit();
}

SharedLibraries *find_libraries() {
    size_t size = sizeof(SharedLibraries) + backend_limit() * sizeof(SharedSession);
    return static_cast<SharedLibraries *>(attach_from_registry(libraries_name, size, initialise));
}

void leave_state(int, Datum) {
    libraries->sessions[backend_number()].state = 0;
}

void raise_newest(uint32 number) noexcept {
    uint32 newest = libraries->newest.load();
    while (newest < number && !libraries->newest.compare_exchange_weak(newest, number)) {
    }
}

[[noreturn]] void report_replaced() {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("this session has an older library of idgen than others"),
            errdetail("It loaded idgen %s; the file was replaced since, and other sessions have drawn by the new one.",
                      library_version()),
            errhint("Reconnect. If the new file is the older one, restart the server."));
}

// The processes that are attached to another state, of up to `most` sessions; empty: there are none.
const char *strangers(uint32 most) {
    StringInfoData pids;
    initStringInfo(&pids);
    uint32 found = 0;
    for (uint32 i = 0; i < libraries->count.load(); i++) {
        uint32 state = libraries->sessions[i].state.load();
        if (state == 0 || state == own_state) continue;
        if (found++ < most) appendStringInfo(&pids, "%s%u", found == 1 ? "" : ", ", libraries->sessions[i].pid.load());
    }
    if (found > most) appendStringInfo(&pids, " and %u more", found - most);
    return pids.data;
}

}  // namespace

void note_state(uint32 number) {
    libraries = find_libraries();
    own_state = number;
    if (libraries != nullptr) raise_newest(number);
}

void join_state() {
    if (libraries == nullptr) return;
    SharedSession &session = libraries->sessions[backend_number()];
    session.pid = static_cast<uint32>(MyProcPid);
    session.state = own_state;
    static bool is_leaving = false;
    if (!is_leaving) before_shmem_exit(leave_state, 0);
    is_leaving = true;
    if (libraries->newest.load() == own_state) return;
    session.state = 0;
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
