#include "lease/postgres/postgres_session.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#include "lease/store/trouble.hpp"

namespace idgen::lease {

namespace {

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

// Takes a result over, and keeps the first error, or else the rows: an error can come after the rows, with the COMMIT.
// False if it makes no sense: a copy, or more rows than any registry has.
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

// How much libpq may take in. It stores what a server sends, and has no limit of its own: it makes room for a message
// as soon as the header says how long it is, keeps every notification until the application fetches it and every
// setting that a server reports, and searches the list of these for each. So two things are looked at between its
// calls, and a server that sends more than a registry does is left:
//
// - the memory of this process, before bytes are read (Linux): a limit on it (setrlimit) would also fail what
//   other libraries allocate;
// - the bytes that came, before they are parsed (TCP on Linux). The answer of a registry is a few hundred
//   bytes long, but for its list.
//
// What the rows hold comes on top of both: largest_result is their limit.

// Where a statement, or a connection, began.
struct Intake {
    int64 memory;
    int64 bytes;
    int64 spare;  // memory that it may take
};

constexpr int64 kilobyte = 1024;
constexpr int64 megabyte = 1024 * kilobyte;

// Besides the rows. A server that logs its debugging to the client stays below it.
constexpr int64 most_bytes = 64 * kilobyte;
// What libraries load and parse as a connection is opened: name services, certificates, Kerberos.
constexpr int64 spare_for_connecting = 16 * megabyte;
constexpr int64 spare_for_statement = megabyte;
constexpr int64 most_of_connection = 32 * megabyte;

// What libpq has read of a TCP connection, in bytes; 0 if that is unknown.
int64 bytes_read(const PGconn *connection) {
#ifdef __linux__
    constexpr socklen_t bytes_field_end = offsetof(tcp_info, tcpi_bytes_received) + sizeof(int64);
    tcp_info info{};
    socklen_t size = sizeof(info);
    int waiting = 0;
    int socket = PQsocket(connection);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < bytes_field_end ||
        ioctl(socket, FIONREAD, &waiting) != 0)
        return 0;
    return static_cast<int64>(info.tcpi_bytes_received) - waiting;
#else
    return 0;
#endif
}

// The memory that libpq has for the rows, and what it frees as they become more.
int64 size_of(const PGresult *rows) {
    auto size = static_cast<int64>(PQresultMemorySize(rows));
    return size + size / 2;
}

void free_notifications(PGconn *connection) {
    while (PGnotify *notification = PQnotifies(connection)) PQfreemem(notification);
}

// Memory of this process that is its own, bytes. 0: unknown.
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

// Looks at the memory. Rows are those that were kept; null: none.
bool holds_too_much(const Intake &began, const PGresult *rows) {
    return own_memory() - began.memory > began.spare + size_of(rows);
}

// Looks at what was read.
bool has_read_too_much(const Intake &began, const PGconn *connection, const PGresult *rows) {
    return bytes_read(connection) - began.bytes > most_bytes + size_of(rows);
}

// Reads what has come. False if it is too much; `is_open` is false if the connection is broken.
bool take_in(const Intake &began, PGconn *connection, const PGresult *rows, bool &is_open) {
    is_open = true;
    if (holds_too_much(began, rows)) return false;
    is_open = PQconsumeInput(connection) != 0;
    if (has_read_too_much(began, connection, rows)) return false;
    if (is_open) free_notifications(connection);
    return true;
}

// Whether a connection has gathered so much since it was opened that a new one is due: what libpq received in a
// thousand statements stays until the connection ends.
bool is_worn(int64 memory_at_first) {
    return own_memory() - memory_at_first > most_of_connection;
}

bool is_of_class(const char *sqlstate, const char *beginning) noexcept {
    return strncmp(sqlstate, beginning, strlen(beginning)) == 0;
}

// What an SQLSTATE means to a node that makes a call.
Reply reply_of(const char *sqlstate) noexcept {
    // Before the COMMIT: nothing was done. Of a statement that was canceled that is not known.
    if (strcmp(sqlstate, "55P03") == 0) return Reply::locked;
    // Rights, password, database, schema, function, arguments, a standby, a copy.
    const char *const denials[] = {"28", "42", "3D", "3F", "22", "25006", "55000"};
    for (const char *denial : denials)
        if (is_of_class(sqlstate, denial)) return Reply::denied;
    return Reply::silent;
}

// Makes what the server said the sentence of a trouble, unless it holds the password: no server has it to send, but a
// program in its place may.
Reply repeat_words(const PostgresSession &session, Reply reply, const char *words, Trouble &trouble) {
    const char *password = PQpass(session.connection);
    bool is_told = password != nullptr && *password != '\0' && strstr(words, password) != nullptr;
    return put_trouble(trouble, reply, is_told ? "the server's message holds the password and is not shown" : words);
}

constexpr int sqlstate_size = 5;

// Finds "FATAL:  28P01: " in a message, whose first word is in the server's language. Null if there is none: it was
// not the server that refused.
const char *find_sqlstate(const char *message) noexcept {
    for (const char *at = message; (at = strstr(at, ":  ")) != nullptr; at++) {
        const char *code = at + 3;
        size_t size = strspn(code, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (size == sqlstate_size && code[size] == ':' && code[size + 1] == ' ') return code;
    }
    return nullptr;
}

Reply refuse(const PostgresSession &session, Trouble &trouble) {
    const char *message = PQerrorMessage(session.connection);
    const char *sqlstate = find_sqlstate(message);
    if (sqlstate == nullptr) return repeat_words(session, Reply::silent, message, trouble);
    const char *words = sqlstate + sqlstate_size + 2;
    return repeat_words(session, reply_of(sqlstate), pnstrdup(words, strcspn(words, "\n")), trouble);
}

Reply poll_until_open(PostgresSession &session, const Intake &began, const Deadline &deadline, Trouble &trouble) {
    for (PostgresPollingStatusType status = PGRES_POLLING_WRITING; status != PGRES_POLLING_OK;) {
        if (status == PGRES_POLLING_FAILED) return refuse(session, trouble);
        int events = status == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE;
        const char *sentence = wait_for_socket(PQsocket(session.connection), events, deadline);
        if (sentence != nullptr) {
            // The next call begins with the next host.
            if (!is_told_to_end()) session.turn++;
            return put_trouble(trouble, Reply::silent, sentence);
        }
        status = PQconnectPoll(session.connection);
        if (holds_too_much(began, nullptr) || has_read_too_much(began, session.connection, nullptr))
            return put_trouble(trouble, Reply::denied, no_end_there);
    }
    return Reply::answered;
}

void ignore_notice(void *, const PGresult *) {}

// The server warns of a COMMIT whose standby did not confirm it.
void note_warning(void *session, const PGresult *notice) {
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity != nullptr && strcmp(severity, "WARNING") == 0)
        static_cast<PostgresSession *>(session)->has_warned = true;
}

Reply open_connection(PostgresSession &session, const Deadline &deadline, Trouble &trouble) {
    ConnectParameters parameters = connect_parameters(session.address, session.turn, session.answer_ms);
    Intake began = begin_connecting();
    session.connection = PQconnectStartParams(parameters.keywords, parameters.values, 1);
    if (session.connection == nullptr) return put_trouble(trouble, Reply::silent, "out of memory");
    // Its SQLSTATE is only in the message of a refusal.
    PQsetErrorVerbosity(session.connection, PQERRORS_VERBOSE);
    PQsetNoticeReceiver(session.connection, ignore_notice, nullptr);
    if (PQstatus(session.connection) == CONNECTION_BAD) return refuse(session, trouble);
    Reply reply = poll_until_open(session, began, deadline, trouble);
    if (reply != Reply::answered) return reply;
    PQsetNoticeReceiver(session.connection, note_warning, &session);
    PQsetnonblocking(session.connection, 1);
    session.memory = own_memory();
    return Reply::answered;
}

// Opens one if there is none.
Reply connect(PostgresSession &session, const Deadline &deadline, Trouble &trouble) {
    if (session.connection != nullptr && is_worn(session.memory)) end(session);
    if (session.connection != nullptr) return Reply::answered;
    session.is_new = true;
    if (!AcquireExternalFD()) return put_trouble(trouble, Reply::silent, "too many files are open");
    Reply reply = open_connection(session, deadline, trouble);
    if (session.connection == nullptr) ReleaseExternalFD();
    if (reply != Reply::answered) end(session);
    return reply;
}

constexpr const char *lost_connection = "the connection was lost";

Reply lose(PostgresSession &session, Trouble &trouble) {
    session.is_lost = true;
    return put_trouble(trouble, Reply::silent, lost_connection);
}

// Waits for the socket and reads what has come. Rows are those that were kept.
Reply wait_and_read(PostgresSession &session, int events, const Intake &began, const PGresult *kept,
                    const Deadline &deadline, Trouble &trouble) {
    const char *sentence = wait_for_socket(PQsocket(session.connection), events, deadline);
    if (sentence != nullptr) return put_trouble(trouble, Reply::silent, sentence);
    bool is_open;
    if (!take_in(began, session.connection, kept, is_open)) return put_trouble(trouble, Reply::denied, no_end_there);
    return is_open ? Reply::answered : lose(session, trouble);
}

// Sends what libpq has of the statement.
Reply send(PostgresSession &session, const Statement &statement, const Intake &began, const Deadline &deadline,
           Trouble &trouble) {
    PGconn *connection = session.connection;
    session.has_warned = false;
    if (PQsendQueryParams(connection, statement.sql, statement.count, nullptr, statement.values, nullptr, nullptr, 0) ==
        0)
        return lose(session, trouble);
    PQsetSingleRowMode(connection);
    Reply reply = Reply::answered;
    for (int left; reply == Reply::answered && (left = PQflush(connection)) != 0;) {
        if (left < 0) return lose(session, trouble);
        reply = wait_and_read(session, WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE, began, nullptr, deadline, trouble);
    }
    return reply;
}

// Takes all results in, each when it can be had without waiting.
Reply receive(PostgresSession &session, const Intake &began, const Deadline &deadline, PGresult *&kept,
              Trouble &trouble) {
    PGconn *connection = session.connection;
    for (;;) {
        while (PQisBusy(connection) != 0) {
            Reply reply = wait_and_read(session, WL_SOCKET_READABLE, began, kept, deadline, trouble);
            if (reply != Reply::answered) return reply;
        }
        PGresult *result = PQgetResult(connection);
        if (result == nullptr && PQstatus(connection) == CONNECTION_OK) {
            session.is_given_up = false;
            return Reply::answered;
        }
        if (result == nullptr) return lose(session, trouble);
        if (!gather(result, kept)) return put_trouble(trouble, Reply::denied, no_registry_there);
    }
}

// Says what the server refused. A registry that is another names its identity's rule.
Reply refuse(const PostgresSession &session, const PGresult *result, Trouble &trouble) {
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *rule = PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool is_foreign = rule != nullptr && strcmp(rule, "identity") == 0;
    bool is_limited = rule != nullptr && strcmp(rule, "limit") == 0;
    Reply reply = is_foreign            ? Reply::foreign
                  : is_limited          ? Reply::limited
                  : sqlstate == nullptr ? Reply::silent
                                        : reply_of(sqlstate);
    return repeat_words(session, reply, words == nullptr ? lost_connection : words, trouble);
}

// Judges a statement that is over.
Reply judge(const PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble) {
    Reply reply = Reply::answered;
    if (PQresultStatus(rows) != PGRES_TUPLES_OK)
        reply = refuse(session, rows, trouble);
    else if (session.has_warned)
        reply = put_trouble(trouble, Reply::silent, "the server warned that its standby may not have what it wrote");
    else if (PQnfields(rows) != statement.columns)
        reply = put_trouble(trouble, Reply::denied, no_registry_there);
    if (reply == Reply::answered) return reply;
    PQclear(rows);
    rows = nullptr;
    return reply;
}

// How a new session is set up. The parameters of calls are secrets, and not to be logged: an error never shows them;
// with log_min_duration_statement a slow call does, unless the role may set that off. The server gives a statement up
// before it is waited for in vain, and says if a standby may not have it. It tells when it started, and which of its
// processes this is.
#define TELL_BACKEND "pg_catalog.concat_ws('/', a.pid, extract(epoch FROM a.backend_start))"
#define SET_UP(name, value) "pg_catalog.set_config('" name "', " value ", false)"
constexpr const char *set_up_sql =
    "SELECT CASE WHEN pg_catalog.concat(" SET_UP("log_parameter_max_length_on_error", "'0'") ", CASE "
    "WHEN pg_catalog.has_parameter_privilege('log_parameter_max_length', 'SET') "
    "THEN " SET_UP("log_parameter_max_length", "'0'") " END, " SET_UP("statement_timeout", "$1") ", "
    SET_UP("lock_timeout", "$2") ", " SET_UP("client_min_messages", "'warning'") ", "
    SET_UP("default_transaction_isolation", "'read committed'") ") IS NOT NULL "
    "THEN (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) OPERATOR(pg_catalog.*) "
    "1000000::pg_catalog.numeric)::pg_catalog.int8 END, (SELECT " TELL_BACKEND
    " FROM pg_catalog.pg_stat_activity AS a WHERE a.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid())";

constexpr const char *cancel_sql =
    "SELECT pg_catalog.count(pg_catalog.pg_cancel_backend(a.pid)) FROM pg_catalog.pg_stat_activity AS a "
    "WHERE " TELL_BACKEND " OPERATOR(pg_catalog.=) $1 AND a.state OPERATOR(pg_catalog.=) 'active'";

// Sends the statement, and takes its rows in.
Reply ask(PostgresSession &session, const Statement &statement, const Deadline &deadline, PGresult *&rows,
          Trouble &trouble) {
    Intake began = begin_statement(session.connection);
    Reply reply = send(session, statement, began, deadline, trouble);
    if (reply == Reply::answered) reply = receive(session, began, deadline, rows, trouble);
    if (reply == Reply::answered) return judge(session, statement, rows, trouble);
    PQclear(rows);
    rows = nullptr;
    return reply;
}

// Has the server end what it still does for a session that has ended, if it can be reached.
void cancel(const PostgresSession &given_up) {
    if (given_up.backend[0] == '\0') return;
    constexpr int64 most_ms = 1000;
    PostgresSession session = new_session(given_up.address, Min(given_up.answer_ms / 4, most_ms));
    session.turn = given_up.turn;
    Deadline deadline = last_deadline_in(session.answer_ms);
    const char *const values[] = {given_up.backend};
    PGresult *rows = nullptr;
    Trouble unused;
    if (connect(session, deadline, unused) == Reply::answered)
        ask(session, {cancel_sql, 1, 1, values}, deadline, rows, unused);
    PQclear(rows);
    end(session);
}

Reply exchange(PostgresSession &session, const Statement &statement, const Deadline &deadline, PGresult *&rows,
               Trouble &trouble) {
    session.is_given_up = true;
    Reply reply = ask(session, statement, deadline, rows, trouble);
    if (!session.is_given_up) return reply;
    // An answer that comes later would be taken for that of the next statement.
    end(session);
    if (!session.is_lost) cancel(session);
    return reply;
}

// Sets a new session up.
Reply set_up(PostgresSession &session, const Deadline &deadline, Trouble &trouble) {
    const char *const values[] = {psprintf(INT64_FORMAT, Max(session.answer_ms * 3 / 4, 1)),
                                  psprintf(INT64_FORMAT, Max(session.answer_ms / 2, 1))};
    session.backend[0] = '\0';
    session.started_us = 0;
    PGresult *rows = nullptr;
    Reply reply = exchange(session, {set_up_sql, 2, 2, values}, deadline, rows, trouble);
    if (reply == Reply::answered && PQntuples(rows) == 1) {
        strlcpy(session.backend, PQgetvalue(rows, 0, 1), sizeof(session.backend));
        session.started_us = number_in(rows, 0, 0);
    }
    PQclear(rows);
    return reply;
}

// Begins a session if there is none, or a new one in the place of a worn one. It has as long for that as the call has
// for its answer.
Reply begin(PostgresSession &session, Trouble &trouble) {
    Deadline deadline = deadline_in(session.answer_ms);
    Reply reply = connect(session, deadline, trouble);
    if (reply != Reply::answered || !session.is_new) return reply;
    session.is_new = false;
    return set_up(session, deadline, trouble);
}

Reply run_once(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble) {
    Reply reply = begin(session, trouble);
    if (reply != Reply::answered) return reply;
    return exchange(session, statement, deadline_in(session.answer_ms), rows, trouble);
}

// Whether it is with the server of this process. A smart stop waits until all sessions end, and would wait for it. A
// process of another server can have the same pid, as in containers; but that one did not start in the same
// microsecond.
bool is_with_this_server(const PostgresSession &session) {
    constexpr int64 epoch_us = int64{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * USECS_PER_DAY;
    return session.connection != nullptr && session.started_us == PgStartTime + epoch_us &&
           BackendPidGetProc(PQbackendPID(session.connection)) != nullptr;
}

}  // namespace

int64 number_in(const PGresult *rows, int row, int column) {
    return strtoll(PQgetvalue(rows, row, column), nullptr, 10);
}

bool flag_in(const PGresult *rows, int row, int column) {
    return PQgetvalue(rows, row, column)[0] == 't';
}

bool are_there(const PGresult *rows, int first_column, int last_column) {
    for (int row = 0; row < PQntuples(rows); row++)
        for (int column = first_column; column <= last_column; column++)
            if (PQgetisnull(rows, row, column) != 0) return false;
    return true;
}

Reply run(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble) {
    bool is_kept = session.connection != nullptr;
    session.is_lost = false;
    rows = nullptr;
    Reply reply = run_once(session, statement, rows, trouble);
    // The server may have been restarted since the last call.
    if (session.is_lost && is_kept) {
        session.is_lost = false;
        reply = run_once(session, statement, rows, trouble);
    }
    if (session.connection != nullptr) session.is_own = is_with_this_server(session);
    if (session.is_own) end(session);
    return reply;
}

void end(PostgresSession &session) {
    if (session.connection == nullptr) return;
    PQfinish(session.connection);
    session.connection = nullptr;
    ReleaseExternalFD();
}

}  // namespace idgen::lease
