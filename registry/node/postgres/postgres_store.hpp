// A registry in a PostgreSQL: the calls of idgen_registry (docs/registry.md) by libpq.
#pragma once

#include <libpq-fe.h>

#include "registry/node/postgres/postgres_session.hpp"
#include "registry/node/store/registry.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {

// The list of numbers that it knows: gives a row for each, or a single one without a number if there is none yet. Nine columns; its two values are
// the range.
extern const char *const list_sql;

// Reads those rows into the caller's memory. False if they make no sense.
bool read_list(const PGresult *rows, MemoryContext caller, Registration &registration);

bool open_postgres(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

// What its calls share: the store, a statement put together, its rows handed over, and the
// calls for counters.

struct PostgresStore {
    StoreMemory memory;
    PostgresSession session;
};

constexpr int most_values = 9;

// A statement being put together, its values in order.
struct Call {
    Statement statement;
    const char *values[most_values];

    Call(const char *sql, int columns) : statement{sql, columns, 0, values}, values{} {}
    void add(const char *value) noexcept { values[statement.count++] = value; }
    void add(int64 value) { add(psprintf(INT64_FORMAT, value)); }
};

// Runs a call that gives rows, and hands them over; they are freed afterwards. `take` says whether they make sense.
template <typename Take>
Reply run_call(PostgresStore &store, const Call &call, Trouble &trouble, Take take) {
    PGresult *rows;
    Reply reply = run(store.session, call.statement, rows, trouble);
    if (reply == Reply::answered && (PQntuples(rows) == 0 || !take(rows)))
        reply = put_trouble(trouble, Reply::denied, no_registry_there);
    PQclear(rows);
    return reply;
}

inline PostgresStore &postgres_of(void *self) noexcept {
    return *static_cast<PostgresStore *>(self);
}

// The counters: the calls of idgen_registry for them (postgres_counters.cpp, docs/registry.md). Names travel as the bytes
// of UTF-8, since another database of this server may have another encoding.

Reply fetch_from_postgres(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count,
                          Trouble &trouble);
Reply give_back_to_postgres(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                            Trouble &trouble);
Reply manage_postgres_counter(void *self, const CounterCall &call, Trouble &trouble);
Reply find_postgres_locker(void *self, const char *counter, int64 number, const char *&who, Trouble &trouble);
Reply list_postgres_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
