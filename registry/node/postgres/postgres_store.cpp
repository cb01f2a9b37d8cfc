#include "registry/node/postgres/postgres_store.hpp"

namespace idgen::lease {
namespace {

RegisteredNumber number_of(const PGresult *rows, int row) {
    RegisteredNumber number{};
    number.listed = {number_in(rows, row, 1), number_in(rows, row, 2), flag_in(rows, row, 3)};
    std::string_view name(PQgetvalue(rows, row, 4), static_cast<size_t>(PQgetlength(rows, row, 4)));
    copy_foreign_text(name, number.name, sizeof(number.name));
    number.system_identifier = number_in(rows, row, 5);
    number.timeline = static_cast<int32>(number_in(rows, row, 6));
    number.since_ms = number_in(rows, row, 7);
    number.lease_left_ms = number_in(rows, row, 8);
    return number;
}

// Whether a registry can say so. The lease of -1 ms never ends.
bool makes_sense(const RegisteredNumber &number) noexcept {
    return is_number(number.listed.number) && is_instant(number.listed.horizon_ms) && is_instant(number.since_ms) &&
           (number.lease_left_ms == -1 || is_instant(number.lease_left_ms));
}

// Takes rows in; false if one makes no sense.
bool read_numbers(const PGresult *rows, int count, RegisteredNumber *numbers) {
    for (int row = 0; row < count; row++) {
        numbers[row] = number_of(rows, row);
        if (!makes_sense(numbers[row])) return false;
    }
    return true;
}

Reply identify(void *self, RegistryIdentity &identity, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call("SELECT idgen_registry.identity()", 1);
        return run_call(store, call, trouble, [&](PGresult *rows) {
            identity = parse_random_id(PQgetvalue(rows, 0, 0));
            return is_known(identity);
        });
    });
}

Call call_of(const RegistryIdentity &identity, const LeaseCall &asked, int64 ttl_ms, const Holder &holder) {
    bool is_claim = asked.kind == CallKind::claim;
    bool is_extend = asked.kind == CallKind::extend;
    const char *function = is_claim    ? "claim($1, $2, $3, $4, $5, $6, $7, $8, $9)"
                           : is_extend ? "extend($1, $2, $3, $4, $5, $6, $7)"
                                       : "stop($1, $2, $3, $4, $5, $6)";
    Call call(psprintf("SELECT outcome, horizon_ms, clock_ms, max_ahead_ms FROM idgen_registry.%s", function), 4);
    call.add(print_identity(identity));
    call.add(asked.number);
    call.add(asked.incarnation);
    if (is_claim) call.add(asked.proposed);
    call.add(asked.life);
    if (!is_claim) call.add(asked.from_ms);
    if (!is_claim) call.add(asked.to_ms);
    if (is_claim || is_extend) call.add(ttl_ms);
    if (is_claim) {
        call.add(holder.name);
        call.add(holder.system_identifier);
        call.add(int64{holder.timeline});
    }
    return call;
}

// False if it is not an outcome.
bool read_outcome(const char *word, CallOutcome &outcome) noexcept {
    constexpr const char *words[] = {"granted", "refused", "too far"};
    constexpr CallOutcome outcomes[] = {CallOutcome::granted, CallOutcome::refused, CallOutcome::too_far};
    for (size_t i = 0; i < lengthof(words); i++) {
        outcome = outcomes[i];
        if (strcmp(word, words[i]) == 0) return true;
    }
    return false;
}

Reply make_call(void *self, const RegistryIdentity &identity, const LeaseCall &asked, int64 ttl_ms,
                const Holder &holder, CallAnswer &answer, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        return run_call(store, call_of(identity, asked, ttl_ms, holder), trouble, [&](PGresult *rows) {
            answer.horizon_ms = number_in(rows, 0, 1);
            answer.now_ms = number_in(rows, 0, 2);
            answer.max_ahead_ms = number_in(rows, 0, 3);
            return read_outcome(PQgetvalue(rows, 0, 0), answer.outcome) && are_there(rows, 1, 3) &&
                   is_instant(answer.horizon_ms) && is_instant(answer.now_ms) && is_instant(answer.max_ahead_ms);
        });
    });
}

Reply list(void *self, const NumberRange &range, Registration &registration, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        Call call(list_sql, 9);
        call.add(range.first);
        call.add(range.last);
        return run_call(store, call, trouble, [&](PGresult *rows) { return read_list(rows, caller, registration); });
    });
}

Reply release(void *self, int64 number, bool &had_owner, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call("SELECT idgen_registry.release($1)", 1);
        call.add(number);
        return run_call(store, call, trouble, [&](PGresult *rows) {
            had_owner = flag_in(rows, 0, 0);
            return are_there(rows, 0, 0);
        });
    });
}

// Milliseconds as an interval of SQL; null: not given.
const char *interval_of(int64 ms) {
    return ms == 0 ? nullptr : psprintf(INT64_FORMAT " ms", ms);
}

Reply advance(void *self, const AdvanceTo &to, int64 &at_ms, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call(
            "SELECT ceil(extract(epoch "
            "FROM a.at) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8 "
            "FROM idgen_registry.advance($1::pg_catalog.interval, "
            "pg_catalog.to_timestamp($2::pg_catalog.float8 OPERATOR(pg_catalog./) 1000::pg_catalog.float8)) AS a(at)",
            1);
        call.add(interval_of(to.longest_ahead_ms));
        call.add(to.at_ms == 0 ? nullptr : psprintf(INT64_FORMAT, to.at_ms));
        return run_call(store, call, trouble, [&](PGresult *rows) {
            at_ms = number_in(rows, 0, 0);
            return are_there(rows, 0, 0) && is_instant(at_ms);
        });
    });
}

Reply limit(void *self, const RegistryLimits &limits, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call(
            "SELECT CASE WHEN l.max_ahead IS NOT NULL THEN idgen_registry.set_max_ahead(l.max_ahead) END, "
            "CASE WHEN l.largest IS NOT NULL THEN idgen_registry.set_largest_number(l.largest) END, CASE "
            "WHEN l.longest IS NOT NULL THEN idgen_registry.set_longest_ttl(l.longest) END "
            "FROM (SELECT $1::pg_catalog.interval, $2::pg_catalog.int4, $3::pg_catalog.interval) AS l(max_ahead, "
            "largest, longest)",
            3);
        call.add(interval_of(limits.max_ahead_ms));
        call.add(limits.largest_number < 0 ? nullptr : psprintf(INT64_FORMAT, limits.largest_number));
        call.add(interval_of(limits.longest_ttl_ms));
        return run_call(store, call, trouble, [](PGresult *) { return true; });
    });
}

Reply forget(void *self, int64 unused_ms, int64 &count, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call("SELECT idgen_registry.forget($1::pg_catalog.interval)", 1);
        call.add(psprintf(INT64_FORMAT " ms", unused_ms));
        return run_call(store, call, trouble, [&](PGresult *rows) {
            count = number_in(rows, 0, 0);
            return are_there(rows, 0, 0);
        });
    });
}

void wait_up_to(void *self, int64 answer_ms) {
    postgres_of(self).session.answer_ms = answer_ms;
}

bool is_own(void *self) {
    return postgres_of(self).session.is_own;
}

void end_session(void *self) {
    end(postgres_of(self).session);
}

void close(void *self) {
    MemoryContextDelete(postgres_of(self).memory.own);
}

PostgresStore *make_store(MemoryContext own, const PostgresAddress &address, int64 answer_ms) {
    auto *store = static_cast<PostgresStore *>(palloc0(sizeof(PostgresStore)));
    store->session = new_session(address, answer_ms);
    begin_memory(store->memory, own, end_session, store);
    return store;
}

}  // namespace

const char *const list_sql =
    "SELECT (extract(epoch "
    "FROM f.floor) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8, l.number, "
    "(extract(epoch FROM l.horizon) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8, "
    "l.is_free, l.name, l.system_identifier, l.timeline, (extract(epoch "
    "FROM l.since) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8, CASE "
    "WHEN l.is_free THEN 0::pg_catalog.int8 WHEN l.lease_left IS NULL THEN (-1)::pg_catalog.int8 "
    "ELSE (extract(epoch "
    "FROM l.lease_left) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8 END "
    "FROM idgen_registry.list_floor() AS f(floor) LEFT JOIN idgen_registry.list($1, "
    "$2) AS l ON true ORDER BY l.number";

bool read_list(const PGresult *rows, MemoryContext caller, Registration &registration) {
    int count = PQgetisnull(rows, 0, 1) != 0 ? 0 : PQntuples(rows);
    if (!are_there(rows, 0, count == 0 ? 0 : 3)) return false;
    size_t size = Max(count, 1) * sizeof(RegisteredNumber);
    auto *numbers = static_cast<RegisteredNumber *>(MemoryContextAlloc(caller, size));
    registration = {numbers, static_cast<size_t>(count), number_in(rows, 0, 0)};
    return is_instant(registration.floor_ms) && read_numbers(rows, count, numbers);
}

bool open_postgres(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble) {
    MemoryContext own = make_store_context();
    MemoryContext caller = MemoryContextSwitchTo(own);
    PostgresAddress parsed;
    bool is_good = parse_postgres_address(address, parsed, trouble);
    if (is_good) {
        PostgresStore *store = make_store(own, parsed, answer_ms);
        registry = {store,
                    identify,
                    make_call,
                    list,
                    release,
                    advance,
                    limit,
                    forget,
                    fetch_from_postgres,
                    give_back_to_postgres,
                    manage_postgres_counter,
                    list_postgres_counters,
                    find_postgres_locker,
                    wait_up_to,
                    is_own,
                    close};
    }
    MemoryContextSwitchTo(caller);
    if (!is_good) MemoryContextDelete(own);
    return is_good;
}

}  // namespace idgen::lease
