// The SQL face of a registry's counters: which there are, and what only a superuser may do about them.
#include "pg/host/rows.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "registry/node/sql/registry_call.hpp"
#include "registry/node/store/trouble.hpp"
#include "registry/node/tickets/draw_tickets.hpp"

namespace idgen::lease {
namespace {

constexpr int64 longest_block = 1000000000;

int64 number_argument(FunctionCallInfo fcinfo, int number, const char *name) {
    if (PG_ARGISNULL(number)) pg::report_null(name, false);
    return PG_GETARG_INT64(number);
}

CounterName name_argument(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(0)) pg::report_null("name", false);
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
    require_superuser(function, "It changes which numbers all servers get.");
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
    if (PG_ARGISNULL(1)) pg::report_null("forget", false);
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

}  // extern "C"
}  // namespace idgen::lease
