#include "pg/reading/settled.hpp"

#include "core/draw/renewal_order.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/report/words.hpp"
#include "pg/state/libraries.hpp"
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

void write_settled(SharedState *state, SharedDatabase &database) {
    with_sequence(Record::horizon, [&](Relation sequence) {
        RecordHost host{state, &database, sequence};
        idgen::tell_standbys(host, database);
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

void load_unknown() {
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
    attempt(load_unknown);
    return self.database;
}

// Tells standbys what is settled, by the page of the horizon, which they replay: writes up to where all is settled, if
// that is due (core/horizon/renewal.hpp). Never waits; what fails now, the commit of another transaction makes good.
// Called before each commit: the session need not be attached.
void tell_standbys() {
    SharedState *state = attached_state();
    if (state == nullptr || !OidIsValid(MyDatabaseId)) return;
    SharedDatabase *database = known_database(state);
    bool is_known = database != nullptr && database->horizon.durable_ms.load(std::memory_order_relaxed) != 0;
    if (unlikely(!is_known)) database = load_for_standbys(database);
    if (database == nullptr || !is_untold(database->horizon)) return;
    int64 now_ms = wall_ms();
    if (!is_to_tell(database->horizon, now_ms) || !is_turn_to_tell(*database, now_ms) || !may_tell()) return;
    attempt([state, database] { write_settled(state, *database); });
}

void end_transaction(XactEvent event, void *) {
    bool may_be_prepared = max_prepared_xacts > 0;
    if (event == XACT_EVENT_PRE_COMMIT) require_one_machine(TransactionEvent::before_commit);
    if (event == XACT_EVENT_PRE_PREPARE) require_one_machine(TransactionEvent::before_prepare);
    if (event == hand_over_event && may_be_prepared) hand_over_prepared();
    if (event == XACT_EVENT_PRE_COMMIT) tell_standbys();
}

SnapshotView snapshot_of_now() {
    // Its lists are allocated once.
    static SnapshotData now;
    return view_of(*GetSnapshotData(&now));
}

struct Primary : ReaderServer {
    SnapshotView take_snapshot() const { return snapshot_of_now(); }
};

struct Standby {
    PagePairs read_pairs() const {
        RecordPage page;
        return peek_page(Record::horizon, page) == Renewal::granted ? page.pairs : PagePairs{};
    }
    SnapshotView take_snapshot() const { return snapshot_of_now(); }
    uint64 next_xid() const { return U64FromFullTransactionId(ReadNextFullTransactionId()); }
};

SettledAnswer answer_of_primary(const SnapshotView &query) {
    attach_backend();
    if (self.database->horizon.durable_ms.load() == 0) load_horizon();
    Primary primary{self.state, self.database};
    SettledAnswer answer = answer_on_primary(self.database->pairs, primary, query);
    // After the look: a session of another state that has drawn since is seen here, or joined none.
    require_one_state("id_settled()");
    return answer;
}

// The answers of this transaction, in its memory.
struct OwnAnswers {
    KeptAnswers kept;
    LocalTransactionId transaction;
    uint32 count;
    uint32 limit;  // where those that are over are forgotten
    uint32 generation;
};
OwnAnswers own{};

constexpr uint32 least_limit = 256;

// The statement in which a call stands: that of its portal, or the one that is planned before it has one.
TimestampTz statement_of_call() {
    return ActivePortal != nullptr ? ActivePortal->creation_time : GetCurrentStatementStartTimestamp();
}

// Whether no other query of this session can go on: the one that calls is that of a client's own statement, not of a
// cursor, and the only one with a snapshot. Its snapshot is registered for as long as it runs, as is that of a cursor
// between two fetches.
bool is_only_query(const SnapshotData &snapshot) {
    bool is_of_client = ActivePortal != nullptr && ActivePortal->name[0] == '\0';
    return is_of_client && snapshot.regd_count > 0 && ThereAreNoPriorRegisteredSnapshots();
}

// Whether a later statement of the transaction asks, though nothing has ended since an earlier one did: the snapshots of
// both are the same, and a reader that asks again and again must not be given one answer for ever.
bool is_asked_again(const SnapshotData &snapshot, const KeptAnswer &known) {
    return !IsolationUsesXactSnapshot() && known.statement != statement_of_call() && is_only_query(snapshot) &&
           is_unchanged(view_of(snapshot), snapshot_of_now());
}

void begin_answers(LocalTransactionId transaction) {
    // Those of an earlier transaction went with its memory.
    if (own.transaction == transaction)
        own.kept.forget_all([](KeptAnswer &kept) { pfree(&kept); });
    else
        own.kept.clear();
    own.transaction = transaction;
    own.count = 0;
    own.limit = least_limit;
    own.generation++;
}

void forget_answers() {
    own.count = own.kept.forget_before(MyProc->xmin, [](KeptAnswer &kept) { pfree(&kept); });
    // Twice what is left, so that a transaction with many snapshots does not walk through all of them for each.
    own.limit = Max(least_limit, 2 * own.count);
    own.generation++;
}

// Its list of xids lies behind it.
KeptAnswer *new_answer(const SnapshotView &query) {
    size_t xids_size = query.count * sizeof(uint32);
    void *memory = MemoryContextAlloc(TopTransactionContext, sizeof(KeptAnswer) + xids_size);
    auto *kept = static_cast<KeptAnswer *>(memory);
    auto *xids = reinterpret_cast<uint32 *>(kept + 1);
    if (query.count > 0) memcpy(xids, query.xids, xids_size);
    *kept = {query, none_settled, nullptr, statement_of_call()};
    kept->query.xids = xids;
    return kept;
}

}  // namespace

void watch_transactions() {
    RegisterXactCallback(end_transaction, nullptr);
}

uint32 generation_of_answers() noexcept {
    return own.generation;
}

const KeptAnswer &answer_for(const SnapshotData &snapshot) {
    LocalTransactionId transaction = *transaction_of(MyProc);
    if (own.transaction != transaction) begin_answers(transaction);
    SnapshotView query = view_of(snapshot);
    const KeptAnswer *known = own.kept.find(query);
    if (known != nullptr && !is_asked_again(snapshot, *known)) return *known;
    if (known != nullptr) begin_answers(transaction);
    if (own.count >= own.limit) forget_answers();
    KeptAnswer *kept = new_answer(query);
    Standby standby;
    SettledAnswer answer = RecoveryInProgress() ? answer_on_standby(standby, query) : answer_of_primary(query);
    kept->until = answer.until;
    own.kept.add(*kept);
    own.count++;
    // For tests and measurements.
    const char *rule = answer.by == AnsweredBy::nothing ? "nothing"
                       : answer.by == AnsweredBy::pair  ? "a pair"
                                                        : "the snapshot";
    ereport(DEBUG2, errmsg_internal("id_settled() answered by %s", rule));
    return *kept;
}

}  // namespace idgen::pg
