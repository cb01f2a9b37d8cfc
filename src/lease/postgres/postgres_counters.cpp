#include "lease/postgres/postgres_counters.hpp"

#include "lease/postgres/postgres_call.hpp"

namespace idgen::lease {

namespace {

#define COUNTER_NAME(value) "pg_catalog.convert_from(" value "::pg_catalog.bytea, 'UTF8')"

char *hex_of(const char *name) {
    StringInfoData hex;
    initStringInfo(&hex);
    appendStringInfoString(&hex, "\\x");
    for (const char *byte = name; *byte != '\0'; byte++) appendStringInfo(&hex, "%02x", static_cast<uint8>(*byte));
    return hex.data;
}

// False if it is not an outcome.
bool read_outcome(const char *word, CounterOutcome &outcome) noexcept {
    constexpr const char *words[] = {"done", "missing", "awaits advance", "too few", "refused"};
    for (size_t i = 0; i < lengthof(words); i++) {
        outcome = static_cast<CounterOutcome>(i);
        if (strcmp(word, words[i]) == 0) return true;
    }
    return false;
}

// What a range may be: of numbers that a counter can have.
bool makes_sense(const CounterAnswer &answer) noexcept {
    return answer.first >= 0 && answer.last >= answer.first && answer.last < PG_INT64_MAX && answer.version != 0 &&
           answer.block >= 1 && answer.max_block >= answer.block;
}

Reply fetch_range(PostgresStore &store, const RegistryIdentity &identity, const CounterCall &asked,
                  CounterAnswer &answer, Trouble &trouble) {
    Call call(
        "SELECT outcome, first, last, version, block, max_block "
        "FROM idgen_registry.fetch_range($1, " COUNTER_NAME("$2") ", $3, $4, $5)",
        6);
    call.add(print_identity(identity));
    call.add(hex_of(asked.name));
    call.add(asked.fetch.count);
    call.add(asked.fetch.least);
    call.add(asked.fetch.since);
    return run_call(store, call, trouble, [&](PGresult *rows) {
        answer = {CounterOutcome::done,  number_in(rows, 0, 1), number_in(rows, 0, 2),
                  number_in(rows, 0, 3), number_in(rows, 0, 4), number_in(rows, 0, 5)};
        if (!read_outcome(PQgetvalue(rows, 0, 0), answer.outcome)) return false;
        return answer.outcome != CounterOutcome::done || (are_there(rows, 1, 5) && makes_sense(answer));
    });
}

Reply give_back_range(PostgresStore &store, const RegistryIdentity &identity, const CounterCall &asked,
                      CounterAnswer &answer, Trouble &trouble) {
    Call call("SELECT idgen_registry.give_back_range($1, " COUNTER_NAME("$2") ", $3, $4)", 1);
    call.add(print_identity(identity));
    call.add(hex_of(asked.name));
    call.add(asked.number);
    call.add(asked.version);
    return run_call(store, call, trouble,
                    [&](PGresult *rows) { return read_outcome(PQgetvalue(rows, 0, 0), answer.outcome); });
}

// What only the owner of the registry may do. It is done, or an error there says why not.
Call administration(const CounterCall &asked) {
    auto call = [&asked](const char *sql, std::initializer_list<int64> values) {
        Call made(sql, 1);
        made.add(hex_of(asked.name));
        for (int64 value : values) made.add(value);
        return made;
    };
    switch (asked.act) {
        case CounterAct::create:
            return call("SELECT idgen_registry.create_counter(" COUNTER_NAME("$1") ", $2, $3, $4, $5)",
                        {asked.number, asked.block, asked.largest, asked.max_block});
        case CounterAct::advance:
            return call("SELECT idgen_registry.advance_counter(" COUNTER_NAME("$1") ", $2)", {asked.number});
        case CounterAct::set_max:
            return call("SELECT idgen_registry.set_counter_max(" COUNTER_NAME("$1") ", $2)", {asked.largest});
        case CounterAct::set_block:
            return call("SELECT idgen_registry.set_counter_block(" COUNTER_NAME("$1") ", $2, $3)",
                        {asked.block, asked.max_block});
        case CounterAct::fetch:
        case CounterAct::give_back:
        case CounterAct::drop:
            break;
    }
    return call("SELECT idgen_registry.drop_counter(" COUNTER_NAME("$1") ")", {});
}

// A name of an answer, as hexadecimal digits. False if it is too long.
bool read_name(const PGresult *rows, int row, int column, char *name) {
    const char *hex = PQgetvalue(rows, row, column);
    size_t size = strlen(hex) / 2;
    if (size > longest_counter_name) return false;
    for (size_t i = 0; i < size; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        name[i] = static_cast<char>(strtol(digits, nullptr, 16));
    }
    name[size] = '\0';
    return true;
}

bool read_counter(const PGresult *rows, int row, ListedCounter &counter) {
    counter.next = number_in(rows, row, 1);
    counter.largest = number_in(rows, row, 2);
    counter.block = number_in(rows, row, 3);
    counter.max_block = number_in(rows, row, 4);
    counter.awaits_advance = flag_in(rows, row, 5);
    return read_name(rows, row, 0, counter.name);
}

}  // namespace

Reply call_postgres_counter(void *self, const RegistryIdentity &identity, const CounterCall &asked,
                            CounterAnswer &answer, Trouble &trouble) {
    PostgresStore &store = store_of(self);
    return in_scratch(store.memory, [&] {
        if (asked.act == CounterAct::fetch) return fetch_range(store, identity, asked, answer, trouble);
        if (asked.act == CounterAct::give_back) return give_back_range(store, identity, asked, answer, trouble);
        answer.outcome = CounterOutcome::done;
        return run_call(store, administration(asked), trouble, [](PGresult *) { return true; });
    });
}

Reply list_postgres_counters(void *self, CounterList &list, Trouble &trouble) {
    PostgresStore &store = store_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        Call call(
            "SELECT pg_catalog.encode(pg_catalog.convert_to(c.name, 'UTF8'), 'hex'), coalesce(c.next, (-1)::pg_catalog.int8), "
            "c.max, c.block, c.max_block, c.awaits_advance FROM (SELECT) AS one "
            "LEFT JOIN idgen_registry.counters() AS c ON true ORDER BY c.name",
            6);
        return run_call(store, call, trouble, [&](PGresult *rows) {
            int count = PQgetisnull(rows, 0, 0) != 0 ? 0 : PQntuples(rows);
            size_t size = Max(count, 1) * sizeof(ListedCounter);
            list = {static_cast<ListedCounter *>(MemoryContextAlloc(caller, size)), static_cast<size_t>(count)};
            for (int row = 0; row < count; row++)
                if (!are_there(rows, 0, 5) || !read_counter(rows, row, list.rows[row])) return false;
            return true;
        });
    });
}

}  // namespace idgen::lease
