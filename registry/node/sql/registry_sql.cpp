// The SQL face of a registry: who holds which number, and what only a superuser may do about it. Each call opens the
// registry for itself and closes it.

#include "core/draw/moves.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/rows.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/held/leases.hpp"
#include "registry/node/keep/record_page.hpp"
#include "registry/node/sql/registry_call.hpp"
#include "registry/node/store/registry.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

constexpr int64 answer_ms = 10000;

constexpr const char *changes_numbers = "It changes who may make IDs with a shard.";
constexpr int64 shortest_ttl_ms = 5000, longest_ttl_ms = int64{365} * 24 * 60 * 60 * 1000;

[[noreturn]] void report_negative_number(int64 number) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a shard must not be negative"),
            errdetail("It is %lld.", static_cast<long long>(number)),
            errhint("idgen_lease.nodes() lists the shards that are held."));
}

[[noreturn]] void report_interval(const char *argument, const char *rule) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s is out of range", argument),
            errdetail("%s", rule), errhint("Give an interval within these bounds."));
}

[[noreturn]] void report_not_advanced() {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the registry has not been advanced above the one before it"),
        errdetail(
            "It is not the registry that this server remembers, and does not know what that one granted: IDs that other servers make with its shards can be made again."),
        errhint(
            "Call idgen_lease.advance_registry() first; or, if no other server has shards of that one, idgen_lease.confirm_registry(force => true)."));
}

[[noreturn]] void report_not_met() {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("no registry answers that could be confirmed"),
        errdetail(
            "Whether the next one that answers was advanced is not known: if it was not, it gives shards that other servers have from the one before."),
        errhint(
            "Call it again when the registry answers; or, if no other server has shards of the one before, idgen_lease.confirm_registry(force => true)."));
}

// What the server remembers on disk; nothing in a database that is not idgen.lease_database.
LeasePage remembered() {
    LeasePage page{};
    Relation sequence = try_relation_open(find_record_sequence(), AccessShareLock);
    if (sequence == nullptr) return page;
    if (can_hold_record(sequence)) read_record(sequence, page);
    relation_close(sequence, AccessShareLock);
    return page;
}

// The latest R that this server knows of, of numbers from this registry or the one before it; 0: none.
int64 granted_here() {
    const pg::LeaseGate *gate = pg::find_lease_gate();
    if (gate == nullptr) return 0;
    // Not exact, so it counts if nothing else is known since the start.
    int64 granted_before = granted_ms(remembered());
    pg::SharedLeases &leases = gate->leases();
    Guard<pg::LightLock> guard(leases.lock);
    int64 granted = leases.registry.older.granted_ms;
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases.count); i++) {
        const pg::SharedLease &entry = leases.leases[i];
        if (is_held(entry.lease)) granted = Max(granted, entry.lease.horizon_ms);
        granted = Max(granted, entry.granted_before_ms.load());
    }
    return granted != 0 ? granted : granted_before;
}

// Raises if IDs of this server can lie above the instant. An R that no registry can be advanced beyond is of a wrong
// clock.
void require_above_granted(int64 at_ms) {
    constexpr int64 farthest_ms = int64{2} * 24 * 60 * 60 * 1000;
    int64 granted_ms = granted_here();
    if (at_ms > granted_ms || granted_ms >= pg::wall_ms() + farthest_ms) return;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("the registry has granted IDs of this server beyond %s", pg::instant_text(at_ms)),
            errdetail("This server may make IDs up to %s with a shard of the registry.", pg::instant_text(granted_ms)),
            errhint("Give an instant above that."));
}

// A month counts as 30 days, as when PostgreSQL compares intervals.
int64 interval_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) pg::report_null(name, pg::null_id);
    const Interval *interval = PG_GETARG_INTERVAL_P(number);
    constexpr int64 day_ms = int64{24} * 60 * 60 * 1000, most_days = 36500;
    int64 days = int64{interval->month} * 30 + interval->day;
    if (days > most_days || days < -most_days) report_interval(name, "It must be at most a hundred years.");
    return days * day_ms + interval->time / 1000;
}

void check_limit(const char *name, int64 ms, int64 least_ms, int64 most_ms, bool is_null) {
    if (is_null || (ms >= least_ms && ms <= most_ms)) return;
    report_interval(
        name, psprintf("It must lie between %s and %s.", pg::duration_text(least_ms), pg::duration_text(most_ms)));
}

Datum interval_of(int64 ms) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = ms * 1000;
    return IntervalPGetDatum(interval);
}

void put_number(ReturnSetInfo *rows, const RegisteredNumber &number) {
    pg::Row row(rows);
    row.set("shard", Int32GetDatum(static_cast<int32>(number.listed.number)));
    row.set("number", Int32GetDatum(static_cast<int32>(number.listed.number)));  // its name in 0.9.0
    row.set("owner", CStringGetTextDatum(number.name));
    row.set("system_identifier", Int64GetDatum(number.system_identifier));
    row.set("timeline", Int32GetDatum(number.timeline));
    row.set("since", pg::time_datum(number.since_ms));
    row.set_if(number.lease_left_ms >= 0, "lease_left", interval_of(number.lease_left_ms));
    row.set("horizon", pg::time_datum(number.listed.horizon_ms));
    row.set("is_free", BoolGetDatum(number.listed.is_free));
    row.put();
}

// The registry that answers now. It is not waited for long.
struct MetRegistry {
    RegistryIdentity identity;  // not known if none does
    bool is_told;               // whether it was advanced
    bool is_advanced;           // above what this server was granted
};

MetRegistry meet_registry() {
    constexpr int64 short_answer_ms = 2000;
    MetRegistry met{};
    Registry registry;
    Trouble trouble;
    Registration registration{};
    if (!open_registry(setting("idgen.registry"), short_answer_ms, registry, trouble)) return met;
    if (registry.identify(registry.self, met.identity, trouble) != Reply::answered) met.identity = {};
    met.is_told =
        is_known(met.identity) && registry.list(registry.self, all_numbers, registration, trouble) == Reply::answered;
    met.is_advanced = met.is_told && registration.floor_ms > granted_here();
    registry.close(registry.self);
    CHECK_FOR_INTERRUPTS();
    return met;
}

// Empties the page in which the server remembers its numbers, but for the registry that it is to know; if that is not
// known, the server accepts the first one that answers.
void forget_numbers(const RegistryIdentity &registry, pg::LightLock &making) {
    LeasePage next{};
    next.registry = registry;
    Relation sequence = relation_open(find_record_sequence(), RowExclusiveLock);
    if (can_hold_record(sequence)) write_record(sequence, next, making);
    relation_close(sequence, RowExclusiveLock);
}

// Says what an advance far ahead costs.
void notice_far_advance(int64 at_ms) {
    int64 now_ms = pg::wall_ms();
    if (!is_far_ahead(at_ms, now_ms)) return;
    ereport(
        NOTICE, errmsg("no server makes IDs with a shard of this registry for %s", pg::duration_text(at_ms - now_ms)),
        errdetail("All shards begin at %s.", pg::instant_text(at_ms)),
        errhint("If that is a mistake, give the servers shards by hand that have made no IDs, without the registry."));
}

}  // namespace

const char *setting(const char *name) {
    const char *value = GetConfigOption(name, true, false);
    return value == nullptr ? "" : value;
}

Registry open_configured() {
    const char *address = setting("idgen.registry");
    if (*address == '\0')
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.registry is not set"),
                errdetail("It names the registry from which this server claims its shards."),
                errhint("%s", pg::registry_hint("Set it, such as: ALTER SYSTEM SET idgen.registry = "
                                                "'postgresql://node@host/registry', and restart.")));
    Registry registry;
    Trouble trouble;
    if (!open_registry(address, answer_ms, registry, trouble))
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("idgen.registry is not the address of a registry"),
            errdetail("The reason: %s.", trouble.sentence),
            errhint(
                "An address is postgresql://user@host:port/database, or etcd://host:port,host:port/prefix, with TLS etcds://."));
    return registry;
}

void require_answer(Reply reply, const Trouble &trouble) {
    CHECK_FOR_INTERRUPTS();
    if (reply == Reply::answered) return;
    auto detail = [&trouble] {
        if (!pg::may_see_address()) return errdetail("Members of pg_monitor see the reason.");
        return errdetail("The reason: %s.", trouble.sentence);
    };
    if (reply == Reply::foreign)
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the registry is not the one that was asked for"), detail(),
            errhint(
                "Check idgen.registry; or, if the registry is new, call idgen_lease.advance_registry() there, then idgen_lease.confirm_registry() on each node."));
    if (reply == Reply::locked)
        ereport(ERROR, errcode(ERRCODE_LOCK_NOT_AVAILABLE), errmsg("another transaction at the registry locks the row"),
                detail(), errhint("Call again when it has ended: pg_locks of the registry's server shows it."));
    if (reply == Reply::silent)
        ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE), errmsg("the registry did not answer"), detail(),
                errhint("Check that the registry runs and can be reached from here, and call again."));
    ereport(
        ERROR, errcode(ERRCODE_SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION),
        errmsg("the registry refused the call"), detail(),
        errhint(
            "Correct that in the registry, or in idgen.registry. What only the owner of a PostgreSQL registry may do, the owner calls there, in schema idgen_registry."));
}

extern "C" {

PG_FUNCTION_INFO_V1(idgen_nodes);
PG_FUNCTION_INFO_V1(idgen_release);
PG_FUNCTION_INFO_V1(idgen_registry_advance);
PG_FUNCTION_INFO_V1(idgen_limit_registry);
PG_FUNCTION_INFO_V1(idgen_forget_numbers);
PG_FUNCTION_INFO_V1(idgen_confirm_registry);

Datum idgen_nodes(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = pg::begin_rows(fcinfo);
    Registry registry = open_configured();
    Registration registration;
    Trouble trouble;
    require_answer(registry.list(registry.self, all_numbers, registration, trouble), trouble);
    registry.close(registry.self);
    for (size_t i = 0; i < registration.count; i++) put_number(rows, registration.rows[i]);
    return Datum{};
}

Datum idgen_release(PG_FUNCTION_ARGS) {
    pg::require_superuser("idgen_lease.release", changes_numbers);
    if (PG_ARGISNULL(0)) pg::report_null("shard", nullptr);
    int32 number = PG_GETARG_INT32(0);
    if (number < 0) report_negative_number(number);
    Registry registry = open_configured();
    bool had_owner = false;
    Trouble trouble;
    require_answer(registry.release(registry.self, number, had_owner, trouble), trouble);
    registry.close(registry.self);
    PG_RETURN_BOOL(had_owner);
}

Datum idgen_registry_advance(PG_FUNCTION_ARGS) {
    pg::require_superuser("idgen_lease.advance_registry", changes_numbers);
    AdvanceTo to{interval_argument(fcinfo, 0, "longest_ahead"), 0};
    if (!PG_ARGISNULL(1)) {
        TimestampTz at = PG_GETARG_TIMESTAMPTZ(1);
        if (TIMESTAMP_NOT_FINITE(at)) pg::report_infinite_instant("Give a finite timestamp.");
        // 0 would be none; what is past is refused, wherever it lies.
        to.at_ms = Max(ms_up(at), 1);
        require_above_granted(to.at_ms);
    }
    Registry registry = open_configured();
    int64 at_ms = 0;
    Trouble trouble;
    require_answer(registry.advance(registry.self, to, at_ms, trouble), trouble);
    registry.close(registry.self);
    notice_far_advance(at_ms);
    PG_RETURN_TIMESTAMPTZ(us_of(at_ms));
}

Datum idgen_limit_registry(PG_FUNCTION_ARGS) {
    pg::require_superuser("idgen_lease.limit_registry", changes_numbers);
    RegistryLimits limits{0, -1, 0};
    if (!PG_ARGISNULL(0)) limits.max_ahead_ms = interval_argument(fcinfo, 0, "max_ahead");
    if (!PG_ARGISNULL(1)) limits.largest_number = PG_GETARG_INT32(1);
    if (!PG_ARGISNULL(2)) limits.longest_ttl_ms = interval_argument(fcinfo, 2, "longest_ttl");
    check_limit("max_ahead", limits.max_ahead_ms, 1000, longest_ahead_ms, PG_ARGISNULL(0));
    check_limit("longest_ttl", limits.longest_ttl_ms, shortest_ttl_ms, longest_ttl_ms, PG_ARGISNULL(2));
    if (!PG_ARGISNULL(1) && limits.largest_number < 0) report_negative_number(limits.largest_number);
    Registry registry = open_configured();
    Trouble trouble;
    require_answer(registry.limit(registry.self, limits, trouble), trouble);
    registry.close(registry.self);
    PG_RETURN_VOID();
}

// idgen_lease.forget_shards(), which 0.9.0 named so.
Datum idgen_forget_numbers(PG_FUNCTION_ARGS) {
    pg::require_superuser("idgen_lease.forget_shards", changes_numbers);
    int64 unused_ms = interval_argument(fcinfo, 0, "unused_for");
    if (unused_ms < 0) report_interval("unused_for", "It must not be negative.");
    Registry registry = open_configured();
    int64 count = 0;
    Trouble trouble;
    require_answer(registry.forget(registry.self, unused_ms, count, trouble), trouble);
    registry.close(registry.self);
    PG_RETURN_INT64(count);
}

Datum idgen_confirm_registry(PG_FUNCTION_ARGS) {
    pg::require_superuser("idgen_lease.confirm_registry", changes_numbers);
    bool is_forced = !PG_ARGISNULL(0) && PG_GETARG_BOOL(0);
    const char *database = setting("idgen.lease_database");
    const char *here = get_database_name(MyDatabaseId);
    const pg::LeaseGate *gate = pg::find_lease_gate();
    if (gate == nullptr || here == nullptr || strcmp(here, database) != 0)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this is not the database in which the server remembers its shards"),
                *database == '\0' ? errdetail("idgen.lease_database is not set.")
                                  : errdetail("idgen.lease_database is \"%s\".", database),
                *database == '\0' ? errhint("Set idgen.lease_database, and call it there.")
                                  : errhint("Connect to database \"%s\", and call it there.", database));
    PreventCommandIfReadOnly("idgen_lease.confirm_registry()");
    MetRegistry met = meet_registry();
    RegistryIdentity before = remembered().registry;
    // Others may hold numbers of the one before.
    bool is_risky = is_known(before) && !met.is_advanced && !(met.identity == before);
    if (is_risky && !is_forced) met.is_told ? report_not_advanced() : report_not_met();
    forget_numbers(met.identity, gate->leases().record_lock);
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::lease
