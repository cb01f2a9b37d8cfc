#include "pg/reading/settled.hpp"

#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/reading/standbys.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/source.hpp"
#include "pg/state/undecided.hpp"

namespace idgen::pg {

namespace {

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

SettledAnswer answer_of_standby(const SnapshotView &query) {
    Standby standby;
    return answer_on_standby(standby, query);
}

// For tests and measurements.
void log_rule(AnsweredBy by) {
    const char *rule = by == AnsweredBy::nothing ? "nothing" : by == AnsweredBy::pair ? "a pair" : "the snapshot";
    ereport(DEBUG2, errmsg_internal("id_settled() answered by %s", rule));
}

// The answers of this transaction, in its memory.
struct OwnAnswers {
    KeptAnswers kept;
    LocalTransactionId transaction;
    TimestampTz statement;  // in which the first of them was asked for
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
bool is_asked_again(const SnapshotData &snapshot) {
    return !IsolationUsesXactSnapshot() && own.statement != statement_of_call() && is_only_query(snapshot) &&
           is_unchanged(view_of(snapshot), snapshot_of_now());
}

void begin_answers(LocalTransactionId transaction) {
    // Those of an earlier transaction went with its memory.
    if (own.transaction == transaction)
        own.kept.forget_all([](KeptAnswer &kept) { pfree(&kept); });
    else
        own.kept.clear();
    own.transaction = transaction;
    own.statement = statement_of_call();
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
    *kept = {query, none_settled, nullptr};
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
    if (known != nullptr && !is_asked_again(snapshot)) return *known;
    if (known != nullptr) begin_answers(transaction);
    if (own.count >= own.limit) forget_answers();
    KeptAnswer *kept = new_answer(query);
    SettledAnswer answer = RecoveryInProgress() ? answer_of_standby(query) : answer_of_primary(query);
    kept->until = answer.until;
    own.kept.add(*kept);
    own.count++;
    log_rule(answer.by);
    return *kept;
}

}  // namespace idgen::pg
