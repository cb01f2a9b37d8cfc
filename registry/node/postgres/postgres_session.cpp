// How a session is opened and set up, how a statement is sent and its answer judged, and how one that was given up is
// canceled at the server. postgres_intake.hpp takes in what the server sends.
#include "registry/node/postgres/postgres_session.hpp"

#include "registry/node/postgres/postgres_intake.hpp"

namespace idgen::lease {
namespace {

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
    // In a copy of this machine it may be the statement of another one.
    if (!session.is_lost && pg::machine() == deadline.machine) cancel(session);
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
