#include "registry/node/postgres/postgres_store.hpp"

namespace idgen::lease {
namespace {

#define COUNTER_NAME(value) "pg_catalog.convert_from(" value "::pg_catalog.bytea, 'UTF8')"

void append_hex(StringInfo out, const char *name) {
    for (const char *byte = name; *byte != '\0'; byte++) appendStringInfo(out, "%02x", static_cast<uint8>(*byte));
}

char *hex_of(const char *name) {
    StringInfoData hex;
    initStringInfo(&hex);
    appendStringInfoString(&hex, "\\x");
    append_hex(&hex, name);
    return hex.data;
}

// An array of SQL, of what `append` writes for each of `count` calls.
template <typename Append>
char *array_of(size_t count, Append append) {
    StringInfoData array;
    initStringInfo(&array);
    appendStringInfoChar(&array, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) appendStringInfoChar(&array, ',');
        append(&array, i);
    }
    appendStringInfoChar(&array, '}');
    return array.data;
}

// The names of calls, as bytes: one that the registry's encoding does not have is the fault of its call alone.
template <typename Call>
char *names_of(const Call *calls, size_t count) {
    return array_of(count, [calls](StringInfo out, size_t i) {
        appendStringInfoString(out, "\"\\\\x");
        append_hex(out, calls[i].name);
        appendStringInfoChar(out, '"');
    });
}

template <typename Call, typename ValueOf>
char *numbers_of(const Call *calls, size_t count, ValueOf value_of) {
    return array_of(count,
                    [=](StringInfo out, size_t i) { appendStringInfo(out, INT64_FORMAT, int64{value_of(calls[i])}); });
}

// False if it is not an outcome.
bool read_outcome(const char *word, CounterOutcome &outcome) noexcept {
    constexpr const char *words[] = {"done", "missing", "awaits advance", "too few", "too long", "refused", "locked"};
    for (size_t i = 0; i < lengthof(words); i++) {
        outcome = static_cast<CounterOutcome>(i);
        if (strcmp(word, words[i]) == 0) return true;
    }
    return false;
}

// What a range may be: of numbers that a counter can have.
bool makes_sense(const CounterAnswer &answer) noexcept {
    return answer.first >= 0 && answer.last >= answer.first && answer.last <= answer.largest &&
           answer.largest < PG_INT64_MAX && answer.version != 0 && answer.block >= 1 &&
           answer.max_block >= answer.block && answer.identity != 0;
}

bool read_answer(const PGresult *rows, int row, CounterAnswer &answer) {
    answer = {CounterOutcome::done,    number_in(rows, row, 1), number_in(rows, row, 2), number_in(rows, row, 3),
              number_in(rows, row, 4), number_in(rows, row, 5), number_in(rows, row, 6), number_in(rows, row, 7)};
    if (!read_outcome(PQgetvalue(rows, row, 0), answer.outcome)) return false;
    bool has_all = true;
    for (int column = 1; column <= 7; column++) has_all &= PQgetisnull(rows, row, column) == 0;
    return answer.outcome != CounterOutcome::done || (has_all && makes_sense(answer));
}

// What only the owner of the registry may do. It is done, or an error there says why not.
Call administration(const CounterCall &asked) {
    auto call = [&asked](const char *sql, std::initializer_list<int64> values) {
        Call statement(sql, 1);
        statement.add(hex_of(asked.name));
        for (int64 value : values) statement.add(value);
        return statement;
    };
    const NewCounter &made = asked.made;
    switch (asked.act) {
        case CounterAct::create:
            return call("SELECT idgen_registry.create_counter(" COUNTER_NAME("$1") ", CASE "
                        "WHEN $2::pg_catalog.int8 OPERATOR(pg_catalog.>=) 0::pg_catalog.int8 "
                        "THEN $2::pg_catalog.int8 END, $3, $4, $5)",
                        {made.first, made.block, made.largest, made.max_block});
        case CounterAct::advance:
            return call("SELECT idgen_registry.advance_counter(" COUNTER_NAME("$1") ", $2)", {asked.next});
        case CounterAct::set_max:
            return call("SELECT idgen_registry.set_counter_max(" COUNTER_NAME("$1") ", $2)", {made.largest});
        case CounterAct::set_block:
            return call("SELECT idgen_registry.set_counter_block(" COUNTER_NAME("$1") ", $2, $3)",
                        {made.block, made.max_block});
        case CounterAct::forget:
            return call("SELECT idgen_registry.drop_counter(" COUNTER_NAME("$1") ", true)", {});
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

// Runs a call that has a row for each of `count`.
template <typename Read>
Reply run_for_each(PostgresStore &store, const Call &call, size_t count, Trouble &trouble, Read read) {
    return run_call(store, call, trouble, [&](PGresult *rows) {
        if (PQntuples(rows) != static_cast<int>(count)) return false;
        for (size_t i = 0; i < count; i++)
            if (!read(rows, static_cast<int>(i))) return false;
        return true;
    });
}

}  // namespace

Reply fetch_from_postgres(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count,
                          Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call(
            "SELECT outcome, first, last, version, block, max_block, identity, largest "
            "FROM idgen_registry.fetch_ranges($1, $2, $3, $4, $5)",
            8);
        call.add(print_identity(identity));
        call.add(names_of(calls, count));
        call.add(numbers_of(calls, count, [](const FetchCall &one) { return one.fetch.count; }));
        call.add(numbers_of(calls, count, [](const FetchCall &one) { return one.fetch.least; }));
        call.add(numbers_of(calls, count, [](const FetchCall &one) { return one.fetch.since; }));
        return run_for_each(store, call, count, trouble,
                            [&](const PGresult *rows, int row) { return read_answer(rows, row, calls[row].answer); });
    });
}

Reply give_back_to_postgres(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                            Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory, [&] {
        Call call("SELECT idgen_registry.give_back_ranges($1, $2, $3, $4)", 1);
        call.add(print_identity(identity));
        call.add(names_of(calls, count));
        call.add(numbers_of(calls, count, [](const GiveBackCall &one) { return one.unused.first; }));
        call.add(numbers_of(calls, count, [](const GiveBackCall &one) { return one.unused.version; }));
        return run_for_each(store, call, count, trouble, [&](const PGresult *rows, int row) {
            return read_outcome(PQgetvalue(rows, row, 0), calls[row].outcome);
        });
    });
}

Reply manage_postgres_counter(void *self, const CounterCall &asked, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    return in_scratch(store.memory,
                      [&] { return run_call(store, administration(asked), trouble, [](PGresult *) { return true; }); });
}

Reply find_postgres_locker(void *self, const char *counter, int64 number, const char *&who, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        Call call("SELECT idgen_registry.find_locker($1, $2)", 1);
        call.add(counter == nullptr ? nullptr : hex_of(counter));
        call.add(counter == nullptr ? psprintf(INT64_FORMAT, number) : nullptr);
        return run_call(store, call, trouble, [&](PGresult *rows) {
            char text[128] = "";
            std::string_view words(PQgetvalue(rows, 0, 0), static_cast<size_t>(PQgetlength(rows, 0, 0)));
            copy_foreign_text(words, text, sizeof(text));
            who = text[0] == '\0' ? nullptr : MemoryContextStrdup(caller, text);
            return true;
        });
    });
}

Reply list_postgres_counters(void *self, CounterList &list, Trouble &trouble) {
    PostgresStore &store = postgres_of(self);
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
