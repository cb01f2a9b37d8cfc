// The SQL face of tickets: numbers of counters out of what this server holds.
#include "pg/host/rows.hpp"
#include "pg/report/preload.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/store/trouble.hpp"
#include "registry/node/tickets/draw_tickets.hpp"

namespace idgen::lease {
namespace {

// What a call site keeps of its last call, so that the same name need not be looked up again.
struct CallSite {
    CounterReference reference;
    CounterName name;  // in UTF-8
    size_t size;       // of the argument
    char argument[4 * longest_counter_name];
};

SharedTickets *require_tickets() {
    SharedTickets *tickets = shared_tickets();
    if (unlikely(tickets == nullptr))
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the server has not loaded idgen_lease at its start"),
                errdetail("It holds the numbers of counters in memory that all of its sessions share."),
                errhint("%s", pg::preload_lease_hint()));
    if (unlikely(*pg::find_lease_gate()->settings().registry == '\0'))
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.registry is not set"),
            errdetail("It names the registry that has the counters."),
            errhint(
                "Set it, such as: ALTER SYSTEM SET idgen.registry = 'postgresql://node@host/registry', and restart."));
    return tickets;
}

[[noreturn]] void report_count(int64 n) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a range has 1 to 1000000000 numbers"),
            errdetail("Asked for: %lld.", static_cast<long long>(n)),
            errhint("Ask for a longer range in parts: each is a range by itself."));
}

CallSite &remember(FunctionCallInfo fcinfo, std::string_view argument) {
    if (fcinfo->flinfo->fn_extra == nullptr)
        fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
    auto &site = *static_cast<CallSite *>(fcinfo->flinfo->fn_extra);
    site.name = counter_name(argument);
    site.reference = {nullptr, 0};
    site.size = Min(argument.size(), sizeof(site.argument));
    memcpy(site.argument, argument.data(), site.size);
    return site;
}

// A name that is not longer than it can be is remembered whole.
CallSite &site_of(FunctionCallInfo fcinfo, std::string_view argument) {
    auto *site = static_cast<CallSite *>(fcinfo->flinfo->fn_extra);
    bool is_known = site != nullptr && site->size == argument.size() &&
                    memcmp(site->argument, argument.data(), argument.size()) == 0;
    return is_known ? *site : remember(fcinfo, argument);
}

// The first of `n` numbers of the counter that the first argument names.
int64 draw_numbers(FunctionCallInfo fcinfo, int64 n) {
    SharedTickets *tickets = require_tickets();
    if (PG_ARGISNULL(0)) pg::report_null("name", false);
    const text *name = PG_GETARG_TEXT_PP(0);
    CallSite &site = site_of(fcinfo, {VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))});
    return draw_tickets(tickets, site.name, site.reference, n);
}

const char *word_of(TicketState state) noexcept {
    constexpr const char *words[] = {"asked", "given", "missing", "awaits advance", "none left", "registry put back",
                                     "locked"};
    return words[static_cast<int>(state)];
}

// An entry as it is at one moment.
struct SeenCounter {
    bool is_used;
    TicketState state;
    Tickets tickets;
    int64 drawn, fetches, waits;
    char locker[locker_size];
};

SeenCounter look_at(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    SeenCounter seen{
        counter.is_used, counter.state, counter.tickets, counter.drawn, counter.fetches, counter.waits, ""};
    strlcpy(seen.locker, counter.locker, sizeof(seen.locker));
    return seen;
}

void put_counter(ReturnSetInfo *rows, SharedTickets *tickets, SharedCounter &counter) {
    CounterName name;
    {
        Guard<pg::LightLock> guard(tickets->lock);
        name = counter.name;
    }
    SeenCounter seen = look_at(counter);
    if (!seen.is_used) return;
    pg::Row row(rows);
    row.set("name", CStringGetTextDatum(counter_text(name.text)));
    row.set("state", CStringGetTextDatum(word_of(seen.state)));
    row.set("held", Int64GetDatum(left_of(seen.tickets)));
    row.set("block", Int64GetDatum(seen.tickets.block));
    row.set_if(seen.tickets.end != 0, "last_fetched", Int64GetDatum(seen.tickets.end - 1));
    row.set("drawn", Int64GetDatum(seen.drawn));
    row.set("fetches", Int64GetDatum(seen.fetches));
    row.set("waits", Int64GetDatum(seen.waits));
    row.set("left_out", Int64GetDatum(seen.tickets.dropped));
    row.set_if(seen.tickets.largest != 0, "max", Int64GetDatum(seen.tickets.largest));
    row.set_if(seen.locker[0] != '\0', "locked_by", CStringGetTextDatum(seen.locker));
    row.put();
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_ticket);
PG_FUNCTION_INFO_V1(idgen_next_tickets);
PG_FUNCTION_INFO_V1(idgen_stat_counter);

Datum idgen_next_ticket(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(draw_numbers(fcinfo, 1));
}

Datum idgen_next_tickets(PG_FUNCTION_ARGS) {
    constexpr int64 most = 1000000000;
    if (PG_ARGISNULL(1)) pg::report_null("n", false);
    int64 n = PG_GETARG_INT64(1);
    if (n < 1 || n > most) report_count(n);
    int64 first = draw_numbers(fcinfo, n);
    RangeBound lower{Int64GetDatum(first), false, true, true}, upper{Int64GetDatum(first + n), false, false, false};
    return RangeTypePGetDatum(pg::make_finite_range(range_get_typcache(fcinfo, INT8RANGEOID), &lower, &upper));
}

Datum idgen_stat_counter(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = pg::begin_rows(fcinfo);
    SharedTickets *tickets = shared_tickets();
    for (uint32 i = 0; tickets != nullptr && i < tickets->size; i++)
        put_counter(rows, tickets, counters_of(tickets)[i]);
    return Datum{};
}

}  // extern "C"
}  // namespace idgen::lease
