#include "pg/horizon/horizon_admin.hpp"

#include "core/draw/moves.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {
namespace {

// The second in which the last checkpoint of this server was, by its clock then; 0: not known.
int64 checkpoint_second() {
    bool is_intact = false;
    LWLockAcquire(ControlFileLock, LW_SHARED);
    ControlFileData *control = get_controlfile(DataDir, &is_intact);
    LWLockRelease(ControlFileLock);
    int64 second = is_intact ? control->checkPointCopy.time : 0;
    pfree(control);
    return second;
}

// The clock once that second is over, if it is now: H would lie above its end, and the first ID would wait as long. Of
// a clock that stands still, as it is.
int64 clock_after(int64 second) {
    int64 began_ms = 0;
    int64 now_ms = wall_ms();
    for (; now_ms / 1000 == second && waited_since(began_ms) < 1000; now_ms = wall_ms()) sleep_us(poll_us);
    return now_ms;
}

// Raises if the last checkpoint lies too far ahead of the clock to go by either.
int64 first_horizon() {
    int64 checkpoint_s = checkpoint_second();
    int64 now_ms = clock_after(checkpoint_s);
    int64 checkpoint_ms = checkpoint_s * 1000;
    if (checkpoint_ms - now_ms > settings.max_clock_jump_ms)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock is %s behind this server's last checkpoint", duration_text(checkpoint_ms - now_ms)),
                errdetail("The clock says %s, the checkpoint says %s. IDs of an earlier idgen may lie between.",
                          instant_text(now_ms), instant_text(checkpoint_ms)),
                errhint("Correct the clock; or, if it is right now, CHECKPOINT and try again."));
    return first_horizon_ms(now_ms, checkpoint_s, settings.max_lead_ms);
}

// Calls create(host) for the sequence of a record that the transaction has made.
template <class Create>
void with_new_sequence(Record kind, Create create) {
    // A server that did not load the library remembers nothing.
    if (find_shared_state() != nullptr) {
        attach_backend();
        require_one_state("CREATE EXTENSION");
    }
    Relation sequence = open_sequence(kind);
    RecordHost host(self.state, self.database, sequence);
    create(host);
    close_sequence(sequence);
}

// No lock is held while standbys are waited for, not even that of the sequence.
struct MoveHost : RecordHost {
    using RecordHost::RecordHost;
    void unlock() IDGEN_LOCKS(release_capability(database_->renewal_lock)) {
        RecordHost::unlock();
        close_sequence(sequence_);
    }
};

void require_granted(const Outcome &outcome) {
    if (outcome.renewal != Renewal::granted) raise(refusal_of_renewal(outcome, Record::horizon, 0));
}

// The sequence, open, and the server, for a move; `what` is the call.
Relation begin_move(const char *what, ServerView &server) {
    attach_backend();
    require_one_state(what);
    if (lacks_standbys(self.state)) require_granted({Renewal::no_standby, 0});
    Relation sequence = open_sequence(Record::horizon);
    if (is_uncommitted(sequence)) require_granted({Renewal::uncommitted, 0});
    server = this_server();
    if (!has_own_page(sequence))
        while (read_foreign_origin(server.foreign_origin) != Renewal::granted) sleep_us(poll_us);
    return sequence;
}

// Does the move that move_of(server) is, and hands it to done(move, outcome).
template <class MoveOf, class Done>
void move_horizon(const char *what, MoveOf move_of, Done done) {
    Outcome outcome{Renewal::busy, 0};
    while (outcome.renewal == Renewal::busy) {
        ServerView server;
        Relation sequence = begin_move(what, server);
        MoveHost host(self.state, self.database, sequence);
        auto move = move_of(server);
        outcome = move_by_hand(host, move);
        done(move, outcome);
    }
    require_granted(outcome);
}

int detail_of(const ResetLimit &limit, int64 found) {
    const char *until = limit.bound == ResetBound::unknown ? nullptr : instant_text(limit.until_ms);
    switch (limit.bound) {
        case ResetBound::none:
        case ResetBound::made:
            break;
        case ResetBound::settled:
            return errdetail("Readers by ID have read up to %s.", until);
        case ResetBound::owed:
            return errdetail("Another server may have made IDs up to %s.", until);
        case ResetBound::found:
            return errdetail("This server found the horizon at %s: IDs from before may lie up to there.", until);
        case ResetBound::unknown:
            return errdetail(
                "The horizon was found at %lld, which is no time: how far IDs from before lie is not known.",
                static_cast<long long>(found));
    }
    return errdetail("This server has made IDs up to %s.", until);
}

[[noreturn]] void report_not_above(const ResetMove &move, const Outcome &outcome) {
    bool may_be_wrong = move.limit.bound >= ResetBound::owed;
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("IDs could be made twice from %s on", instant_text(move.at_ms)), detail_of(move.limit, outcome.detail),
        may_be_wrong
            ? errhint(
                  "If that is wrong, give an instant above all IDs in the tables, which SELECT id_time(max(id)) of each says: idgen.reset(at, force => true).")
            : errhint("Call idgen.reset() without an instant: it goes above that."));
}

}  // namespace

void create_horizon() {
    int64 first_ms = first_horizon();
    with_new_sequence(Record::horizon, [&](RecordHost &host) {
        idgen::create_horizon(host, first_ms, {server_identity(), is_successor()});
    });
}

void create_generators() {
    with_new_sequence(Record::generator, [](RecordHost &host) { idgen::create_generators(host, server_identity()); });
}

void advance_horizon(int64 at_ms) {
    move_horizon(
        "idgen.advance()",
        [&](const ServerView &server) {
            return AdvanceMove{server, at_ms};
        },
        [](const AdvanceMove &, const Outcome &) {});
}

int64 reset_horizon(int64 at_ms, bool is_forced) {
    move_horizon(
        "idgen.reset()",
        [&](const ServerView &server) {
            return ResetMove{server, self.state->accepted_clock, at_ms, is_forced, {}, 0};
        },
        [&](const ResetMove &move, const Outcome &outcome) {
            if (outcome.renewal == Renewal::not_above) report_not_above(move, outcome);
            if (outcome.renewal == Renewal::granted) at_ms = move.at_ms;
        });
    return at_ms;
}

void confirm_shards() {
    attach_backend();
    PreventCommandIfReadOnly("idgen.confirm_shards()");
    uint64 confirmed = machine();
    bool is_needed = true;
    move_horizon(
        "idgen.confirm_shards()",
        [=](const ServerView &server) {
            return ConfirmMove{server, confirmed};
        },
        [&](const ConfirmMove &move, const Outcome &) { is_needed = move.is_needed; });
    Relation generators = open_sequence(Record::generator);
    MoveHost host(self.state, self.database, generators);
    Outcome outcome = confirm_generators(host, this_server(), confirmed);
    if (outcome.renewal != Renewal::granted) raise(refusal_of_renewal(outcome, Record::generator, 0));
    mirror_origin(own_system());
    if (!is_needed)
        ereport(NOTICE, errmsg("nothing was to be confirmed in this database"),
                errdetail("It is not a copy that keeps the shards of its origin."),
                errhint("The row copy of idgen.status() says which database is one: call it there."));
}

}  // namespace idgen::pg
