#include "pg/horizon/horizon_admin.hpp"

#include "core/durable/renewal.hpp"
#include "core/issue/moves.hpp"
#include "pg/horizon/origin.hpp"
#include "pg/horizon/record_host.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/report/words.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 1000;

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

// The origin of a database whose horizon has no page of its own yet; 0: none is asked for.
int64 wait_for_origin(Relation sequence) {
    int64 foreign = 0;
    if (!has_own_page(sequence))
        while (read_foreign_origin(foreign) != Renewal::granted) sleep_us(poll_us);
    return foreign;
}

void require_granted(const Outcome &outcome) {
    if (outcome.renewal != Renewal::granted) report_refused(outcome, Record::horizon);
}

// The sequence, open, and the server, for a move; `what` is the call.
Relation begin_move(const char *what, ServerView &server) {
    attach_backend();
    require_one_state(what);
    if (lacks_standbys(self.state)) require_granted({Renewal::no_standby, 0});
    Relation sequence = open_sequence(Record::horizon);
    if (is_uncommitted(sequence)) require_granted({Renewal::uncommitted, 0});
    server = this_server();
    server.foreign_origin = wait_for_origin(sequence);
    return sequence;
}

// Does the move that move_of(server) is.
template <class MoveOf>
void move_horizon(const char *what, MoveOf move_of) {
    Outcome outcome{Renewal::busy, 0};
    while (outcome.renewal == Renewal::busy) {
        ServerView server;
        Relation sequence = begin_move(what, server);
        MoveHost host(self.state, self.database, sequence);
        outcome = move_by_hand(host, move_of(server));
    }
    require_granted(outcome);
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
    move_horizon("idgen.advance()", [&](const ServerView &server) { return AdvanceMove{server, at_ms}; });
}

void reset_horizon(int64 at_ms) {
    move_horizon("idgen.reset()", [&](const ServerView &server) {
        return ResetMove{server, at_ms, self.state->accepted_clock};
    });
}

void confirm_shards() {
    attach_backend();
    PreventCommandIfReadOnly("idgen.confirm_shards()");
    uint64 confirmed = machine();
    move_horizon("idgen.confirm_shards()", [=](const ServerView &server) { return ConfirmMove{server, confirmed}; });
    Relation generators = open_sequence(Record::generator);
    MoveHost host(self.state, self.database, generators);
    Outcome outcome = confirm_generators(host, this_server(), confirmed);
    if (outcome.renewal != Renewal::granted) report_refused(outcome, Record::generator);
    mirror_origin(this_owner().system_identifier);
}

}  // namespace idgen::pg
