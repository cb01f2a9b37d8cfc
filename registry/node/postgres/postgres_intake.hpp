// How much libpq may take in for a session, and which results are kept. libpq stores what a server sends, and has no
// limit of its own: it makes room for a message as soon as the header says how long it is, and then reads on as long as
// bytes come, in one call. It keeps every notification until the application fetches it and every setting that a server
// reports, and searches the list of these for each. So two things are looked at between its calls, and a server that
// sends more than a registry does is left:
//
// - the memory of this process, before bytes are read, where /proc says it: a limit on bytes alone would come a gigabyte late, and
//   one on memory (setrlimit) would also fail what other libraries allocate;
// - the bytes that came, before they are parsed, where the system counts them. Except for its list, the answer of a registry is a
//   few hundred bytes long.
//
// What the rows hold comes on top of both, and has a limit of its own in gather().
#pragma once

#include "pg/postgres.hpp"

#include <libpq-fe.h>

namespace idgen::lease {

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

// Reads what has come. False if it is too much; `is_open` is false if the connection is broken.
bool take_in(const Intake &began, PGconn *connection, const PGresult *rows, bool &is_open);

// Takes a result over, and keeps the first error, or else the rows: an error can come after the rows, with the COMMIT.
// False if it makes no sense: a copy, or more rows than any registry has.
bool gather(PGresult *result, PGresult *&kept);

// Memory of this process that is its own, bytes. 0: unknown.
int64 own_memory();

// Whether a connection has gathered so much since it was opened that a new one is due: what libpq received in a
// thousand statements stays until the connection ends.
bool is_worn(int64 memory_at_first);

}  // namespace idgen::lease
