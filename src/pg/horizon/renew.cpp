#include "pg/horizon/renew.hpp"

#include "core/draw/renewal_order.hpp"
#include "pg/host/citus_node.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {
namespace {

// Looks at what the kernel says of its clock, if that is required.
Outcome check_clock_sync() {
    auto required = static_cast<RequireClockSync>(settings.require_clock_sync);
    if (required == RequireClockSync::off) return granted_outcome;
    Outcome doubt = doubt_of_kernel(self.state);
    if (required == RequireClockSync::on || doubt.renewal == Renewal::granted) return doubt;
    if (may_log(self.state, Cause::clock_not_synchronized)) say(WARNING, doubt_of_clock(doubt, "warn"));
    return granted_outcome;
}

// Logs what a record that was loaded says of this server. No lock is held. With a registry, a server that is
// promoted claims numbers of its own, or waits until those given by hand are free.
void look_at_loaded(const DurableRecord &loaded, const ServerView &server) {
    int64 behind_ms = server.clock.now_ms - loaded.value;
    const char *name = get_database_name(MyDatabaseId);
    if (behind_ms > settings.max_clock_jump_ms)
        ereport(
            LOG,
            errmsg("the durable horizon of database \"%s\" lies %s behind the clock", name, duration_text(behind_ms)),
            errdetail("It is %s: no ID was made here since, or the clock was set forward while the server was stopped.",
                      instant_text(loaded.value)),
            errhint("If the clock is wrong, stop the clients and correct it: IDs take its time."));
    // A server that saw it happen has logged it.
    if (has_registry()) return;
    bool is_resumed = is_copied_machine(loaded, server.owner, server.boot);
    if (is_resumed && pg_atomic_read_u32(&self.state->copied) == 0)
        ereport(
            LOG,
            errmsg(
                "database \"%s\" is of a machine that was resumed from a snapshot of its memory, and keeps its shards",
                name),
            errdetail("%s", resumed_detail), errhint("%s", confirm_shards_hint));
    if (is_resumed) return;
    if (is_copy(loaded, server.owner))
        ereport(LOG, errmsg("database \"%s\" is a copy of one on another server and keeps its shards", name),
                errdetail("%s", detail_of_copy(loaded.owner)), errhint("%s", confirm_shards_hint));
    else if (loaded.owner == server.owner.system_identifier && loaded.identity != server.identity)
        ereport(
            LOG,
            errmsg(
                "database \"%s\" goes on with the shards of the server before this one: if the former primary lives on, change idgen.shards",
                name));
}

// Counts the windows that are granted, and notes whose the first record after a start is, or one of another owner than
// before: what a dump carries is to say the same.
struct HorizonHost : RecordHost {
    using RecordHost::RecordHost;
    int64 new_owner = 0;

    void note_write(const DurableRecord &record) noexcept {
        const Horizon &horizon = database_->horizon;
        if (horizon.granted_ms == 0 || horizon.record.known.owner != record.owner) new_owner = record.owner;
    }
    void note_reached(int64 ms) noexcept { pg::note_reached(ms); }
    void note_granted() noexcept {
        pg_atomic_write_u64(&database_->refused, 0);
        pg_atomic_fetch_add_u64(&database_->renewals, 1);
        pg_atomic_write_u64(&database_->renewed_ms, static_cast<uint64>(wall_ms()));
    }
};

// Has the page of the horizon read, and written if that is due.
Outcome renew_by_page(const ServerView &view, int64 start_ms) {
    ServerView server = view;
    SharedDatabase &database = *self.database;
    ReadRenewal<SharedDatabase> renewal{{database.horizon, self.state->accepted_clock, server, start_ms}, database};
    int64 new_owner = 0;
    Outcome outcome;
    HorizonHost without_page{self.state, &database, nullptr};
    if (renew_by_pending(without_page, renewal, outcome)) return outcome;
    outcome = with_sequence(Record::horizon, [&](Relation sequence) {
        if (!has_own_page(sequence)) {
            Renewal read = read_foreign_origin(server.foreign_origin);
            if (read != Renewal::granted) return Outcome{read, 0};
        }
        HorizonHost host{self.state, &database, sequence};
        Outcome renewed = renew(host, renewal);
        new_owner = host.new_owner;
        return renewed;
    });
    if (renewal.has_loaded) look_at_loaded(renewal.loaded, server);
    if (new_owner != 0) mirror_origin(new_owner);
    return outcome;
}

Outcome try_renewal(int64 start_ms) {
    ServerView server = this_server();
    if (lacks_standbys(self.state)) return {Renewal::no_standby, 0};
    Outcome outcome = check_clock_sync();
    return outcome.renewal == Renewal::granted ? renew_by_page(server, start_ms) : outcome;
}

}  // namespace

Outcome doubt_of_kernel(SharedState *state) {
    ClockState clock = kernel_clock();
    if (is_clock_doubtful(state, clock)) return {Renewal::clock_disrupted, 0};
    if (is_within(clock, settings.clock_error_ms)) return granted_outcome;
    if (!clock.is_synchronized) return {tells_of_clock ? Renewal::clock_not_synchronized : Renewal::clock_unknown, 0};
    return {Renewal::clock_uncertain, error_ms_of(clock), settings.clock_error_ms};
}

ServerView server_but_clock(const SharedState &state) {
    ServerView server{};
    server.machine = machine();
    server.identity = server_identity(server.machine);
    server.is_successor = is_successor();
    server.confirmations = state.accepted_clock.confirmations;
    server.boot = state.boot;
    server.owner = {own_system(), name_of_machine(server.machine), name_of_machine(state.began_in)};
    server.has_registry = has_registry();
    auto on_copy = static_cast<OnCopy>(settings.on_copy);
    server.admits_copy = on_copy != OnCopy::refuse;
    server.admits_resumed = on_copy == OnCopy::warn;
    server.admits_inherited = on_copy == OnCopy::warn || !is_converted();
    server.rules = horizon_rules();
    server.clock_rules = clock_rules();
    server.has_clone = may_have_clone();
    return server;
}

ServerView this_server() {
    ServerView server = server_but_clock(*self.state);
    server.clock = watched_clock(self.state);
    return server;
}

Outcome renew_horizon(int64 start_ms) {
    pg_atomic_uint64 &stall = self.database->stall;
    uint64 before = pg_atomic_read_u64(&stall);
    uint64 asked = extended_stall(before, monotonic_ms());
    uint64 expected = before;
    compare_exchange(stall, expected, asked);
    Outcome outcome = try_renewal(start_ms);
    // One that is not flushed yet comes by itself. Where another session renews, that one's request counts: if it takes
    // long, those who come meanwhile say how long. Any other reason is noted, for idgen.status().
    if (outcome.renewal == Renewal::granted || outcome.renewal == Renewal::not_flushed)
        pg_atomic_write_u64(&stall, 0);
    else if (outcome.renewal != Renewal::busy)
        pg_atomic_write_u64(&self.database->refused, refused_word(outcome.renewal, wall_ms()));
    else if (before == 0)
        compare_exchange(stall, asked, 0);
    return outcome;
}

void load_horizon() {
    renew_by_page(this_server(), 0);
}

void renew_ahead(int64 now_ms, int64 start_ms) {
    static int64 last_try_ms = 0;
    if (now_ms == last_try_ms) return;
    last_try_ms = now_ms;
    const Horizon &horizon = self.database->horizon;
    if (is_on_its_way(horizon, start_ms, settings.horizon_window_ms, RecordHost::is_flushed)) return;
    attempt([start_ms] { renew_horizon(start_ms); });
}

Outcome renew_generator() {
    if (lacks_standbys(self.state)) return {Renewal::no_standby, 0};
    ServerView server = this_server();
    CounterRenewal renewal{{self.database->generators, server}};
    return with_sequence(Record::generator, [&](Relation sequence) {
        RecordHost host{self.state, self.database, sequence};
        return renew(host, renewal);
    });
}

void report_postmaster_dead() {
    ereport(FATAL, errcode(ERRCODE_ADMIN_SHUTDOWN), errmsg("the server's main process is gone"),
            errdetail("Another server may have taken its place, so this one makes no more IDs."),
            errhint("Connect again."));
}

}  // namespace idgen::pg
