#include "pg/reading/standbys.hpp"

#include "core/draw/renewal_order.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/record_host.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/attempt.hpp"
#include "pg/report/words.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

namespace {

// What this process remembers from one commit to the next.
struct Teller {
    SharedDatabase *database;  // this session's, if any ID was made in it since the start; null: not known
    uint32 misses;             // commits that did not know it
    bool has_loaded;           // this process tried to read what a start left
};
Teller teller{};

// What an attempt is given: whose horizon to write.
struct Telling {
    SharedState *state;
    SharedDatabase *database;
};

void tell_in_attempt(void *argument) {
    const auto *telling = static_cast<Telling *>(argument);
    with_sequence(Record::horizon, [&](Relation sequence) {
        RecordHost host{telling->state, telling->database, sequence};
        idgen::tell_standbys(host, *telling->database);
        return granted_outcome;
    });
}

// Finds this session's database. While it is not known, one commit of many looks for it among thousands of others.
SharedDatabase *known_database(SharedState *state) noexcept {
    constexpr uint32 rest = 64;
    SharedDatabase *&known = teller.database;
    bool is_known = known != nullptr && known->database.load(std::memory_order_relaxed) == MyDatabaseId;
    if (!is_known && self.database != nullptr)
        known = self.database;
    else if (!is_known)
        known = teller.misses++ % rest == 0 ? find_database(state) : nullptr;
    return known;
}

// Whether it is this session's turn to try: while transactions hold back what is settled, once a second is enough.
bool is_turn_to_tell(SharedDatabase &database, int64 now_ms) noexcept {
    constexpr int64 pause_ms = 1000;
    uint64 before = pg_atomic_read_u64(&database.told_try_ms);
    auto since_ms = now_ms - static_cast<int64>(before);
    if (since_ms >= 0 && since_ms < pause_ms) return false;
    return compare_exchange(database.told_try_ms, before, static_cast<uint64>(now_ms));
}

bool may_tell() {
    return !HistoricSnapshotActive() && !RecoveryInProgress() && is_followed();
}

void load_unknown(void *) {
    if (!OidIsValid(own_schema.find_relation(name_of(Record::horizon)))) return;
    attach_backend();
    load_horizon();
}

// After a start it can take long until a session asks or draws, and a standby does not know yet that the last IDs from
// before the start are settled. So each process reads the horizon once, at its first commit.
SharedDatabase *load_for_standbys(SharedDatabase *database) {
    if (teller.has_loaded) return database;
    teller.has_loaded = true;
    if (!may_tell() || !has_standby()) return database;
    attempt(load_unknown, nullptr);
    return self.database;
}

}  // namespace

void tell_standbys() {
    SharedState *state = attached_state();
    if (state == nullptr || !OidIsValid(MyDatabaseId)) return;
    SharedDatabase *database = known_database(state);
    bool is_known = database != nullptr && database->horizon.durable_ms.load(std::memory_order_relaxed) != 0;
    if (unlikely(!is_known)) database = load_for_standbys(database);
    if (database == nullptr || !is_untold(database->horizon)) return;
    int64 now_ms = wall_ms();
    if (!is_to_tell(database->horizon, now_ms) || !is_turn_to_tell(*database, now_ms) || !may_tell()) return;
    Telling telling{state, database};
    attempt(tell_in_attempt, &telling);
}

}  // namespace idgen::pg
