// The SQL face of a registry's counters: which there are, and what only a superuser may do about them; and of
// tickets: numbers of counters out of what this server holds.

#include "pg/host/rows.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/sql/registry_call.hpp"
#include "registry/node/store/trouble.hpp"
#include "registry/node/tickets/shared_tickets.hpp"

namespace idgen::lease {
namespace {

constexpr int64 longest_block = 1000000000;

int64 number_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) pg::report_null(name, nullptr);
    return PG_GETARG_INT64(number);
}

CounterName name_argument(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(0)) pg::report_null("name", nullptr);
    const text *name = PG_GETARG_TEXT_PP(0);
    return counter_name({VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))});
}

void check_numbers(int64 first, int64 largest) {
    if (first >= 0 && largest >= first && largest < PG_INT64_MAX) return;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("the numbers of a counter lie between 0 and %lld", static_cast<long long>(PG_INT64_MAX - 1)),
            errdetail("It would go from %lld to %lld.", static_cast<long long>(first), static_cast<long long>(largest)),
            errhint("Give numbers within these bounds."));
}

void check_blocks(int64 block, int64 max_block) {
    if (block >= 1 && max_block >= block && max_block <= longest_block) return;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("a server gets between 1 and %lld numbers at once", static_cast<long long>(longest_block)),
            errdetail("It would get %lld to %lld.", static_cast<long long>(block), static_cast<long long>(max_block)),
            errhint("Give numbers within these bounds, and max_block at least as large as block."));
}

// Sends what a superuser may do, for the registry's owner.
void administrate(const CounterName &name, CounterCall call) {
    call.name = name.text;
    Registry registry = open_configured();
    Trouble trouble;
    require_answer(registry.manage_counter(registry.self, call, trouble), trouble);
    registry.close(registry.self);
}

void require_owner(const char *function) {
    pg::require_superuser(function, "It changes which numbers all servers get.");
}

// Raises if this server was given that number, or a later one, before the registry was put back to an older state.
void require_above_given(const CounterName &name, int64 next) {
    SharedTickets *tickets = shared_tickets();
    int64 last = tickets == nullptr ? -1 : last_forgotten(tickets, name);
    if (next > last) return;
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("counter \"%s\" has given numbers from %lld on", counter_text(name.text), static_cast<long long>(next)),
        errdetail("This server was given numbers up to %lld.", static_cast<long long>(last)),
        errhint("Give a number above every one that any server was given."));
}

CounterCall call_of(CounterAct act) noexcept {
    CounterCall call{};
    call.act = act;
    return call;
}

void put_counter(ReturnSetInfo *rows, const ListedCounter &counter) {
    pg::Row row(rows);
    row.set("name", CStringGetTextDatum(counter_text(counter.name)));
    row.set_if(counter.next >= 0, "next", Int64GetDatum(counter.next));
    row.set("max", Int64GetDatum(counter.largest));
    row.set("block", Int64GetDatum(counter.block));
    row.set("max_block", Int64GetDatum(counter.max_block));
    row.set("awaits_advance", BoolGetDatum(counter.awaits_advance));
    row.put();
}

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
    if (PG_ARGISNULL(0)) pg::report_null("name", nullptr);
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

PG_FUNCTION_INFO_V1(idgen_counters);
PG_FUNCTION_INFO_V1(idgen_create_counter);
PG_FUNCTION_INFO_V1(idgen_drop_counter);
PG_FUNCTION_INFO_V1(idgen_advance_counter);
PG_FUNCTION_INFO_V1(idgen_set_counter_max);
PG_FUNCTION_INFO_V1(idgen_set_counter_block);

Datum idgen_counters(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = pg::begin_rows(fcinfo);
    Registry registry = open_configured();
    CounterList list{};
    Trouble trouble;
    require_answer(registry.list_counters(registry.self, list, trouble), trouble);
    registry.close(registry.self);
    for (size_t i = 0; i < list.count; i++) put_counter(rows, list.rows[i]);
    return Datum{};
}

Datum idgen_create_counter(PG_FUNCTION_ARGS) {
    require_owner("idgen_lease.create_counter");
    CounterCall call = call_of(CounterAct::create);
    CounterName name = name_argument(fcinfo);
    bool has_start = !PG_ARGISNULL(1);
    call.made.first = has_start ? PG_GETARG_INT64(1) : -1;
    call.made.block = number_argument(fcinfo, 2, "block");
    call.made.largest = number_argument(fcinfo, 3, "max");
    call.made.max_block = number_argument(fcinfo, 4, "max_block");
    check_numbers(has_start ? call.made.first : 0, call.made.largest);
    check_blocks(call.made.block, call.made.max_block);
    administrate(name, call);
    PG_RETURN_VOID();
}

Datum idgen_drop_counter(PG_FUNCTION_ARGS) {
    require_owner("idgen_lease.drop_counter");
    CounterName name = name_argument(fcinfo);
    if (PG_ARGISNULL(1)) pg::report_null("forget", nullptr);
    administrate(name, call_of(PG_GETARG_BOOL(1) ? CounterAct::forget : CounterAct::drop));
    PG_RETURN_VOID();
}

Datum idgen_advance_counter(PG_FUNCTION_ARGS) {
    require_owner("idgen_lease.advance_counter");
    CounterCall call = call_of(CounterAct::advance);
    CounterName name = name_argument(fcinfo);
    call.next = number_argument(fcinfo, 1, "next");
    require_above_given(name, call.next);
    administrate(name, call);
    PG_RETURN_VOID();
}

Datum idgen_set_counter_max(PG_FUNCTION_ARGS) {
    require_owner("idgen_lease.set_counter_max");
    CounterCall call = call_of(CounterAct::set_max);
    CounterName name = name_argument(fcinfo);
    call.made.largest = number_argument(fcinfo, 1, "max");
    check_numbers(0, call.made.largest);
    administrate(name, call);
    PG_RETURN_VOID();
}

Datum idgen_set_counter_block(PG_FUNCTION_ARGS) {
    require_owner("idgen_lease.set_counter_block");
    CounterCall call = call_of(CounterAct::set_block);
    CounterName name = name_argument(fcinfo);
    call.made.block = number_argument(fcinfo, 1, "block");
    call.made.max_block = number_argument(fcinfo, 2, "max_block");
    check_blocks(call.made.block, call.made.max_block);
    administrate(name, call);
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(idgen_next_ticket);
PG_FUNCTION_INFO_V1(idgen_next_tickets);
PG_FUNCTION_INFO_V1(idgen_stat_counter);

Datum idgen_next_ticket(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(draw_numbers(fcinfo, 1));
}

Datum idgen_next_tickets(PG_FUNCTION_ARGS) {
    constexpr int64 most = 1000000000;
    if (PG_ARGISNULL(1)) pg::report_null("n", nullptr);
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
