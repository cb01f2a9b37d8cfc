// A session with the registry's PostgreSQL, kept between calls and opened again if it is broken; with the server of
// this process it is opened for each call. One statement at a time, which is over only when the server is ready for the
// next: its COMMIT comes after its rows, and so does a warning that a standby may not have it.
//
// A statement that is given up does not go on there: the server ends it itself before that if it waits for a lock or
// works, and else is told to by a second, short session. What waits for a standby is committed then, and warned of.
#pragma once

#include "pg/postgres.hpp"

#include <libpq-fe.h>

#include "registry/node/postgres/postgres_address.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {

// 0 and false for a null.
int64 number_in(const PGresult *rows, int row, int column);
bool flag_in(const PGresult *rows, int row, int column);

// False if there is a null in one of these columns.
bool are_there(const PGresult *rows, int first_column, int last_column);

struct PostgresSession {
    PostgresAddress address;
    int64 answer_ms;     // how long a statement is waited for
    uint32 turn;         // of the list of hosts
    PGconn *connection;  // null: none
    bool is_new;         // nothing has been asked over it yet
    bool has_warned;     // the server, since the statement was sent
    bool is_lost;        // the connection was, since the call began
    bool is_given_up;    // the statement is not over, as far as is known
    bool is_own;         // the last statement was of the server of this process
    int64 memory;        // of this process when the connection was opened
    int64 started_us;    // when the server started, by its clock, unix us; 0: unknown
    char backend[64];    // the server's process of the connection, as `tell_backend` says it; empty: unknown
};

inline PostgresSession new_session(const PostgresAddress &address, int64 answer_ms) noexcept {
    return {address, answer_ms, 0, nullptr, true, false, false, false, false, 0, 0, ""};
}

struct Statement {
    const char *sql;
    int columns;  // that its rows have
    int count;
    const char *const *values;  // as text; null: null
};

// Runs a statement that gives rows. The caller frees the rows by PQclear if they are answered. The
// statement may have been executed also if they are not, and twice if they are.
Reply run(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble);

void end(PostgresSession &session);

}  // namespace idgen::lease
