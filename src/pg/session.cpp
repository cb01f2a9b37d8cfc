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

Self attach() {
    Self self;
    self.state = shared_state();
    self.database = my_database(self.state);
    self.backend = &backends_of(self.state)[backend_number()];
    pg_atomic_write_u64(&self.backend->ids, 0);
    pg_atomic_write_u64(&self.backend->last_id, 0);
    self.backend->slot = no_slot;
    return self;
}

Self self{};

}  // namespace

const Self &this_backend() {
    if (self.state != nullptr) return self;
    if (RecoveryInProgress()) report_recovery();
    self = attach();
    return self;
}

Session *session_of(const PackingKey &packing) {
    static HTAB *sessions = nullptr;
    if (sessions == nullptr) sessions = make_sessions();
    bool found;
    auto *session = static_cast<Session *>(hash_search(sessions, &packing, HASH_ENTER, &found));
    if (!found) {
        session->last = LastDraw{};
        session->cursor = PoolCursor{};
    }
    return session;
}

}  // namespace idgen::pg
