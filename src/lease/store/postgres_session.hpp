// A session with the registry's PostgreSQL, kept between calls and opened anew where it is broken. One
// statement at a time, which is over only when the server is ready for the next: its COMMIT comes after its
// rows, and so does a warning that a standby may not have it.
#pragma once

#include <libpq-fe.h>

#include "lease/store/deadline.hpp"
#include "lease/store/postgres_address.hpp"

namespace idgen::lease {

struct PostgresSession {
    PostgresAddress address;
    int64 answer_ms;
    uint32 turn;         // of the list of hosts
    PGconn *connection;  // null: none
    bool has_warned;     // the server, since the statement was sent
    int64 memory;        // of this process when the connection was opened
};

struct Statement {
    const char *sql;
    int columns;  // that its rows have
    int count;
    const char *const *values;  // as text; null: null
};

// Runs a statement that gives rows. The rows are the caller's to free by PQclear where they are answered. It
// may have been executed also where they are not, and twice where they are.
Reply run(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble);

void end(PostgresSession &session);

}  // namespace idgen::lease
