// A session with the registry's PostgreSQL, kept between calls and opened anew if it is broken. One statement at a
// time, which is over only when the server is ready for the next: its COMMIT comes after its rows, and so does a
// warning that a standby may not have it.
#pragma once

#include "pg/postgres.hpp"

#include <libpq-fe.h>

#include "lease/postgres/postgres_address.hpp"
#include "lease/store/deadline.hpp"

namespace idgen::lease {

// Takes a result over, and keeps the first error, or else the rows: an error can come after the rows, with the COMMIT.
// False where it makes no sense: a copy, or more rows than any registry has.
bool gather(PGresult *result, PGresult *&kept);

// 0 and false for a null.
int64 number_in(const PGresult *rows, int row, int column);
bool flag_in(const PGresult *rows, int row, int column);

// False if there is a null in one of these columns.
bool are_there(const PGresult *rows, int first_column, int last_column);

// How much libpq may take in. It stores what a server sends, and has no limit of its own: it makes room for a message
// as soon as the header says how long it is, keeps every notification until somebody fetches it and every setting that
// it is told of, and searches the list of these for each. So two things are looked at between its calls, and a server
// that sends more than a registry does is left:
//
// - the memory of this process, before bytes are read (Linux): a limit on it (setrlimit) would also fail what
//   other libraries allocate;
// - the bytes that came, before they are parsed (TCP on Linux). The answer of a registry is a few hundred
//   bytes long, but for its list.
//
// What the rows hold comes on top of both: postgres_session.hpp has their limit.

// Where a statement, or a connection, began.
struct Intake {
    int64 memory;
    int64 bytes;
    int64 spare;  // memory that it may take
};

Intake begin_connecting();
Intake begin_statement(const PGconn *connection);

// Looks at the memory. Rows are those that were kept; null: none.
bool holds_too_much(const Intake &began, const PGresult *rows);

// Looks at what was read.
bool has_read_too_much(const Intake &began, const PGconn *connection, const PGresult *rows);

// Reads what has come. False where it is too much; `is_open` is false where the connection is broken.
bool take_in(const Intake &began, PGconn *connection, const PGresult *rows, bool &is_open);

// Whether a connection has gathered so much since it was opened that a new one is due: what libpq was told in a
// thousand statements is there as long as the connection is.
bool is_worn(int64 memory_at_first);

// Memory of this process that is its own, bytes. 0: unknown.
int64 own_memory();

// A session with the registry's PostgreSQL, kept between calls and opened anew where it is broken. One statement at a
// time, which is over only when the server is ready for the next: its COMMIT comes after its rows, and so does a
// warning that a standby may not have it.

struct PostgresSession {
    PostgresAddress address;
    int64 answer_ms;
    uint32 turn;         // of the list of hosts
    PGconn *connection;  // null: none
    bool is_new;         // nothing has been asked over it yet
    bool has_warned;     // the server, since the statement was sent
    bool is_lost;        // the connection was, since the call began
    int64 memory;        // of this process when the connection was opened
};

struct Statement {
    const char *sql;
    int columns;  // that its rows have
    int count;
    const char *const *values;  // as text; null: null
};

// Runs a statement that gives rows. The rows are the caller's to free by PQclear where they are answered. It may have
// been executed also where they are not, and twice where they are.
Reply run(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble);

void end(PostgresSession &session);

// Opening a session with the registry's PostgreSQL.

// Opens one where there is none.
Reply connect(PostgresSession &session, const Deadline &deadline, Trouble &trouble);

// What an SQLSTATE means to a node that makes a call.
Reply reply_of(const char *sqlstate) noexcept;

// Makes what the server said the sentence of a trouble, unless it holds the password: no server has it to tell, but
// whoever stands in its place may.
Reply repeat_words(const PostgresSession &session, Reply reply, const char *words, Trouble &trouble);

}  // namespace idgen::lease
