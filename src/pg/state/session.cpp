#include "pg/state/session.hpp"

#include "pg/report/report_host.hpp"
#include "pg/state/database_directory.hpp"

namespace idgen::pg {

Self self{};

namespace {

struct KeptSession {
    PackingKey packing;
    DrawSession session;
};

HTAB *make_sessions() {
    HASHCTL control{};
    control.keysize = sizeof(PackingKey);
    control.entrysize = sizeof(KeptSession);
    return hash_create("idgen sessions", 16, &control, HASH_ELEM | HASH_BLOBS);
}

// Ends this backend's entry: it counts for nobody any more.
void forget_backend(int, Datum) {
    pg_atomic_write_u32(&self.backend->pid, 0);
}

// Its database follows with the database's entry.
void begin_backend(SharedBackend &backend) {
    self.backend = &backend;
    for (pg_atomic_uint64 *value :
         {&backend.ids, &backend.ids_before, &backend.last_id, &backend.slot_tag, &backend.waits, &backend.wait_us})
        pg_atomic_write_u64(value, 0);
    backend.database = InvalidOid;
    backend.user = MyProc->roleId;
    pg_write_barrier();
    pg_atomic_write_u32(&backend.pid, static_cast<uint32>(MyProcPid));
    before_shmem_exit(forget_backend, 0);
}

}  // namespace

void attach_backend() {
    if (self.state != nullptr) return;
    if (RecoveryInProgress()) report_recovery();
    SharedState *state = shared_state();
    if (self.backend == nullptr) begin_backend(backends_of(state)[backend_number()]);
    self.database = my_database(state, *self.backend);
    self.state = state;
}

DrawSession new_session() noexcept {
    DrawSession session{};
    session.cursor.aim(0, 1);
    session.resets = self.database->resets;
    return session;
}

DrawSession *session_of(const PackingKey &packing) {
    static HTAB *sessions = nullptr;
    if (sessions == nullptr) sessions = make_sessions();
    bool found;
    auto *kept = static_cast<KeptSession *>(hash_search(sessions, &packing, HASH_ENTER, &found));
    if (!found) kept->session = DrawSession{{}, {}, self.database->resets};
    return &kept->session;
}

}  // namespace idgen::pg
