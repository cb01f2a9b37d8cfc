// Only for tests: what the keeper of a server's numbers says to sessions, without one, as SQL functions.
//
//      CREATE FUNCTION fake_hold(number bigint, by_hand boolean, ahead_ms bigint) RETURNS void
//          a number that is wanted, held up to the clock and `ahead_ms`; not held if that is null
//      CREATE FUNCTION fake_claim(number bigint, ahead_ms bigint) RETURNS void
//          a number that is held begins that far ahead of the clock
//      CREATE FUNCTION fake_registry(keeper int, answered_ms bigint, silent_ms bigint, trouble text) RETURNS
//      void
//          how long ago the registry last answered, and since when it does not; null: never, it does
//      CREATE FUNCTION fake_trouble(number bigint, trouble text) RETURNS void
//          what stands in the way of a number that is wanted; null: nothing
//      CREATE FUNCTION fake_older(number bigint, granted_ms bigint, known_ms bigint) RETURNS void
//          the registry knows less of a number than it granted: both so far ahead of the clock; null: it does
//          not
//      CREATE FUNCTION fake_counters(count int, in_trouble int, used int, trouble text) RETURNS void
//          how many counters are in use and in trouble, percent of the one nearest to its end, what is wrong; null:
//          nothing
//      CREATE FUNCTION fake_wish() RETURNS text
//          what sessions have asked for: "pool" or "", then numbers
#include "core/layout/instant.hpp"
#include "registry/node/held/lease_gate.hpp"

namespace idgen::pg {
namespace {

SharedLeases &leases() {
    return find_lease_gate()->leases();
}

int64 now_ms() {
    return ms_down(GetCurrentTimestamp());
}

SharedLease &entry_of(SharedLeases &leases, int64 number) noexcept {
    uint32 count = pg_atomic_read_u32(&leases.count);
    for (uint32 i = 0; i < count; i++)
        if (leases.leases[i].lease.number == number) return leases.leases[i];
    pg_atomic_write_u32(&leases.count, count + 1);
    return leases.leases[count];
}

int64 ago(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? 0 : now_ms() - PG_GETARG_INT64(argument);
}

}  // namespace

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fake_hold);
PG_FUNCTION_INFO_V1(fake_claim);
PG_FUNCTION_INFO_V1(fake_registry);
PG_FUNCTION_INFO_V1(fake_trouble);
PG_FUNCTION_INFO_V1(fake_older);
PG_FUNCTION_INFO_V1(fake_counters);
PG_FUNCTION_INFO_V1(fake_wish);

Datum fake_hold(PG_FUNCTION_ARGS) {
    int64 horizon_ms = PG_ARGISNULL(2) ? 0 : now_ms() + PG_GETARG_INT64(2);
    Guard<LightLock> guard(leases().lock);
    SharedLease &entry = entry_of(leases(), PG_GETARG_INT64(0));
    entry.purpose = PG_GETARG_BOOL(1) ? LeaseFor::number : LeaseFor::pool;
    entry.lease.number = PG_GETARG_INT64(0);
    entry.lease.incarnation = horizon_ms == 0 ? 0 : 1;
    entry.lease.horizon_ms = horizon_ms;
    entry.lease.cap_ms = horizon_ms;
    pg_atomic_fetch_add_u32(&leases().changes, 1);
    PG_RETURN_VOID();
}

Datum fake_claim(PG_FUNCTION_ARGS) {
    int64 number = PG_GETARG_INT64(0);
    int64 claimed_ms = now_ms() + PG_GETARG_INT64(1);
    {
        Guard<LightLock> guard(leases().lock);
        entry_of(leases(), number).lease.claimed_ms = claimed_ms;
    }
    find_lease_gate()->move_number(static_cast<uint32>(number), claimed_ms);
    PG_RETURN_VOID();
}

Datum fake_registry(PG_FUNCTION_ARGS) {
    const char *trouble = PG_ARGISNULL(3) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(3));
    int64 answered_ms = ago(fcinfo, 1);
    int64 silent_ms = ago(fcinfo, 2);
    Guard<LightLock> guard(leases().lock);
    RegistryState &registry = leases().registry;
    registry.keeper_pid = PG_GETARG_INT32(0);
    registry.answered_ms = answered_ms;
    registry.silent_since_ms = silent_ms;
    strlcpy(registry.trouble, trouble, sizeof(registry.trouble));
    PG_RETURN_VOID();
}

Datum fake_trouble(PG_FUNCTION_ARGS) {
    const char *trouble = PG_ARGISNULL(1) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(1));
    Guard<LightLock> guard(leases().lock);
    SharedLease &entry = entry_of(leases(), PG_GETARG_INT64(0));
    strlcpy(entry.trouble, trouble, sizeof(entry.trouble));
    PG_RETURN_VOID();
}

Datum fake_older(PG_FUNCTION_ARGS) {
    OlderRegistry older{};
    if (!PG_ARGISNULL(1)) older = {PG_GETARG_INT64(0), now_ms() + PG_GETARG_INT64(1), now_ms() + PG_GETARG_INT64(2)};
    Guard<LightLock> guard(leases().lock);
    leases().registry.older = older;
    PG_RETURN_VOID();
}

Datum fake_counters(PG_FUNCTION_ARGS) {
    const char *trouble = PG_ARGISNULL(3) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(3));
    CounterState counters{PG_GETARG_UINT32(0), PG_GETARG_UINT32(1), PG_GETARG_INT32(2), ""};
    strlcpy(counters.trouble, trouble, sizeof(counters.trouble));
    Guard<LightLock> guard(leases().lock);
    leases().registry.counters = counters;
    PG_RETURN_VOID();
}

Datum fake_wish(PG_FUNCTION_ARGS) {
    StringInfoData text;
    initStringInfo(&text);
    if (pg_atomic_read_u32(&leases().is_pool_wanted) != 0) appendStringInfoString(&text, "pool");
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases().count); i++)
        if (leases().leases[i].purpose == LeaseFor::number)
            appendStringInfo(&text, " %lld", static_cast<long long>(leases().leases[i].lease.number));
    PG_RETURN_TEXT_P(cstring_to_text(text.data));
}

}  // extern "C"
}  // namespace idgen::pg
