#include "registry/node/postgres/postgres_intake.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

#include "pg/host/system.hpp"

namespace idgen::lease {
namespace {

// The limits of what libpq takes in.

constexpr int64 kilobyte = 1024;
constexpr int64 megabyte = 1024 * kilobyte;

// Besides the rows. A server that logs its debugging to the client stays below it.
constexpr int64 most_bytes = 64 * kilobyte;
// What libraries load and parse as a connection is opened: name services, certificates, Kerberos.
constexpr int64 spare_for_connecting = 16 * megabyte;
constexpr int64 spare_for_statement = megabyte;
constexpr int64 most_of_connection = 32 * megabyte;

// What libpq has read, in bytes; 0 if that is unknown.
int64 bytes_read(const PGconn *connection) {
    return pg::bytes_received(PQsocket(connection));
}

// The memory that libpq has for the rows, and what it frees as they become more.
int64 size_of(const PGresult *rows) {
    auto size = static_cast<int64>(PQresultMemorySize(rows));
    return size + size / 2;
}

void free_notifications(PGconn *connection) {
    while (PGnotify *notification = PQnotifies(connection)) PQfreemem(notification);
}

// The rows that are kept.

// A list of 65,536 numbers, which is 16 bits of shard, with the longest names takes 27 MB.
constexpr std::size_t largest_result = std::size_t{32} << 20;

bool has_failed(const PGresult *kept) noexcept {
    return kept != nullptr && PQresultStatus(kept) == PGRES_FATAL_ERROR;
}

// False if there is no room. Rows are measured before they are copied.
bool add_row(const PGresult *row, PGresult *&kept) {
    if (PQresultMemorySize(row) + PQresultMemorySize(kept) > largest_result) return false;
    if (kept == nullptr) kept = PQcopyResult(row, PG_COPYRES_ATTRS);
    if (kept == nullptr) return false;
    int number = PQntuples(kept);
    for (int column = 0; column < PQnfields(row); column++) {
        bool is_null = PQgetisnull(row, 0, column) != 0;
        if (PQsetvalue(kept, number, column, is_null ? nullptr : PQgetvalue(row, 0, column),
                       is_null ? -1 : PQgetlength(row, 0, column)) == 0)
            return false;
    }
    return true;
}

// libpq gives the result of a copy again and again.
bool is_copy(ExecStatusType status) noexcept {
    return status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

}  // namespace

int64 own_memory() {
    // Its sixth number is pages of data and stack (proc(5)).
    char text[128];
    int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = ::read(file, text, sizeof(text) - 1);
    ::close(file);
    text[Max(size, 0)] = '\0';
    char *at = text;
    for (int field = 1; field < 6; field++) strtoll(at, &at, 10);
    return strtoll(at, &at, 10) * sysconf(_SC_PAGESIZE);
}

Intake begin_connecting() {
    return {own_memory(), 0, spare_for_connecting};
}

Intake begin_statement(const PGconn *connection) {
    return {own_memory(), bytes_read(connection), spare_for_statement};
}

bool holds_too_much(const Intake &began, const PGresult *rows) {
    return own_memory() - began.memory > began.spare + size_of(rows);
}

bool has_read_too_much(const Intake &began, const PGconn *connection, const PGresult *rows) {
    return bytes_read(connection) - began.bytes > most_bytes + size_of(rows);
}

bool take_in(const Intake &began, PGconn *connection, const PGresult *rows, bool &is_open) {
    is_open = true;
    if (holds_too_much(began, rows)) return false;
    is_open = PQconsumeInput(connection) != 0;
    if (has_read_too_much(began, connection, rows)) return false;
    if (is_open) free_notifications(connection);
    return true;
}

bool is_worn(int64 memory_at_first) {
    return own_memory() - memory_at_first > most_of_connection;
}

bool gather(PGresult *result, PGresult *&kept) {
    ExecStatusType status = PQresultStatus(result);
    bool is_row = status == PGRES_SINGLE_TUPLE;
    bool is_end_of_rows = status == PGRES_TUPLES_OK && kept != nullptr;
    if (!is_row && !is_end_of_rows && !has_failed(kept)) {
        PQclear(kept);
        kept = result;
        return !is_copy(status);
    }
    bool is_good = !is_copy(status) && (!is_row || has_failed(kept) || add_row(result, kept));
    PQclear(result);
    return is_good;
}

}  // namespace idgen::lease
