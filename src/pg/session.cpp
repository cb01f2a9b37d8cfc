#include "pg/session.hpp"

#include "pg/report.hpp"
#include "pg/slot_directory.hpp"

namespace idgen::pg {
namespace {

HTAB *make_sessions() {
    HASHCTL control{};
    control.keysize = sizeof(PackingKey);
    control.entrysize = sizeof(Session);
    return hash_create("idgen sessions", 16, &control, HASH_ELEM | HASH_BLOBS);
}

}  // namespace

Self self{};

void attach_backend() {
    if (self.state != nullptr) return;
    if (RecoveryInProgress()) report_recovery();
    SharedState *state = shared_state();
    SharedDatabase *database = my_database(state);
    SharedBackend *backend = &backends_of(state)[backend_number()];
    pg_atomic_write_u64(&backend->ids, 0);
    pg_atomic_write_u64(&backend->last_id, 0);
    backend->slot = no_slot;
    self = {state, database, backend};
}

Session *session_of(const PackingKey &packing) {
    static HTAB *sessions = nullptr;
    if (sessions == nullptr) sessions = make_sessions();
    bool found;
    auto *session = static_cast<Session *>(hash_search(sessions, &packing, HASH_ENTER, &found));
    if (!found) {
        session->last = LastDraw{};
        session->cursor = PoolCursor{};
        session->resets = pg_atomic_read_u32(&self.database->resets);
    }
    return session;
}

}  // namespace idgen::pg
