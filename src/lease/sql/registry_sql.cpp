// The SQL face of a registry: who holds which number, and what only a superuser may do about it. Each call
// opens the registry for itself and closes it.
#include "lease/keep/record_sequence.hpp"
#include "lease/store/identity_text.hpp"
#include "lease/store/registry.hpp"
#include "pg/report/instant.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/report_registry.hpp"
#include "pg/state/lease_gate.hpp"

namespace idgen::lease {
namespace {

constexpr int64 answer_ms = 10000;

const char *setting(const char *name) {
    const char *value = GetConfigOption(name, true, false);
    return value == nullptr ? "" : value;
}

// Opens the registry of idgen.registry; it is closed with the statement's memory.
Registry open_configured() {
    const char *address = setting("idgen.registry");
    if (*address == '\0') pg::report_no_registry();
    Registry registry;
    Trouble trouble;
    if (!open_registry(address, answer_ms, registry, trouble)) pg::report_registry_address(trouble.sentence);
    return registry;
}

// Raises what kept a call from being answered; a cancellation first, which is why it was given up then.
void require_answer(Reply reply, const Trouble &trouble) {
    CHECK_FOR_INTERRUPTS();
    switch (reply) {
        case Reply::answered:
            return;
        case Reply::silent:
            break;
        case Reply::foreign:
            pg::report_registry(pg::RegistryFault::foreign, trouble.sentence);
        case Reply::denied:
            pg::report_registry(pg::RegistryFault::denied, trouble.sentence);
    }
    pg::report_registry(pg::RegistryFault::silent, trouble.sentence);
}

void require_superuser(const char *function) {
    if (!superuser()) pg::report_registry_superuser(function);
}

Datum interval_of(int64 ms) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = ms * 1000;
    return IntervalPGetDatum(interval);
}

void put_number(ReturnSetInfo *rows, const RegisteredNumber &number) {
    bool is_endless = number.lease_left_ms < 0;
    Datum values[] = {
        Int32GetDatum(static_cast<int32>(number.listed.number)),
        CStringGetTextDatum(number.name),
        Int64GetDatum(number.system_identifier),
        Int32GetDatum(number.timeline),
        TimestampTzGetDatum(pg::to_timestamptz(number.since_ms)),
        is_endless ? Datum{} : interval_of(number.lease_left_ms),
        TimestampTzGetDatum(pg::to_timestamptz(number.listed.horizon_ms)),
        BoolGetDatum(number.listed.is_free),
    };
    bool nulls[lengthof(values)] = {};
    nulls[5] = is_endless;
    Assert(rows->setDesc->natts == static_cast<int>(lengthof(values)));
    tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

// Empties the page in which the server remembers its numbers; gives the registry that it remembered.
RegistryIdentity forget_numbers(pg::LightLock &making) {
    PreventCommandIfReadOnly("idgen_confirm_registry()");
    LeasePage page{};
    Relation sequence = relation_open(find_record_sequence(), RowExclusiveLock);
    if (can_hold_record(sequence)) {
        read_record(sequence, page);
        write_record(sequence, LeasePage{}, making);
    }
    relation_close(sequence, RowExclusiveLock);
    return page.registry;
}

// Warns where it is another registry than was remembered, and was never advanced: others may hold numbers of
// the one before. One that does not answer is not waited for long.
void warn_of_new_registry(const RegistryIdentity &remembered) {
    constexpr int64 short_answer_ms = 2000;
    Registry registry;
    Trouble trouble;
    RegistryIdentity met{};
    Registration registration{};
    if (!open_registry(setting("idgen.registry"), short_answer_ms, registry, trouble)) return;
    bool is_other = registry.identify(registry.self, met, trouble) == Reply::answered && !(met == remembered);
    if (is_other && registry.list(registry.self, registration, trouble) == Reply::answered &&
        registration.floor_ms == 0)
        pg::warn_not_advanced();
    registry.close(registry.self);
    CHECK_FOR_INTERRUPTS();
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_nodes);
PG_FUNCTION_INFO_V1(idgen_release);
PG_FUNCTION_INFO_V1(idgen_registry_advance);
PG_FUNCTION_INFO_V1(idgen_confirm_registry);

Datum idgen_nodes(PG_FUNCTION_ARGS) {
    InitMaterializedSRF(fcinfo, 0);
    Registry registry = open_configured();
    Registration registration;
    Trouble trouble;
    require_answer(registry.list(registry.self, registration, trouble), trouble);
    registry.close(registry.self);
    auto *rows = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    for (size_t i = 0; i < registration.count; i++) put_number(rows, registration.rows[i]);
    return Datum{};
}

Datum idgen_release(PG_FUNCTION_ARGS) {
    require_superuser("idgen_release");
    if (PG_ARGISNULL(0)) pg::report_null("number", false);
    int32 number = PG_GETARG_INT32(0);
    if (number < 0) pg::report_negative_number(number);
    Registry registry = open_configured();
    bool had_owner = false;
    Trouble trouble;
    require_answer(registry.release(registry.self, number, had_owner, trouble), trouble);
    registry.close(registry.self);
    PG_RETURN_BOOL(had_owner);
}

Datum idgen_registry_advance(PG_FUNCTION_ARGS) {
    require_superuser("idgen_registry_advance");
    int64 to_ms = 0;
    if (!PG_ARGISNULL(0)) {
        TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
        if (TIMESTAMP_NOT_FINITE(at)) pg::report_infinite_instant("Give a finite timestamp.");
        // 0 would be none; what is past is refused, wherever it lies.
        to_ms = Max(pg::to_unix_ms(at) + (at % 1000 != 0 ? 1 : 0), 1);
    }
    Registry registry = open_configured();
    Trouble trouble;
    require_answer(registry.advance(registry.self, to_ms, trouble), trouble);
    registry.close(registry.self);
    PG_RETURN_TIMESTAMPTZ(pg::to_timestamptz(to_ms));
}

Datum idgen_confirm_registry(PG_FUNCTION_ARGS) {
    require_superuser("idgen_confirm_registry");
    const char *database = setting("idgen.lease_database");
    const char *here = get_database_name(MyDatabaseId);
    const pg::LeaseGate *gate = pg::find_lease_gate();
    if (gate == nullptr || here == nullptr || strcmp(here, database) != 0)
        pg::report_not_lease_database(database);
    RegistryIdentity remembered = forget_numbers(gate->leases().record_lock);
    if (is_known(remembered)) warn_of_new_registry(remembered);
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::lease
