#include "lease/store/postgres_session.hpp"

#include "lease/store/postgres_connect.hpp"
#include "lease/store/postgres_intake.hpp"
#include "lease/store/postgres_result.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

enum class Course : uint8 { over, broken, given_up, senseless, endless };

// Waits for the socket and reads what has come. Rows are those that were kept.
Course wait_and_read(PGconn *connection, int events, const Intake &began, const PGresult *kept,
                     const Deadline &deadline, Wake &wake) {
    wake = wait_for_socket(PQsocket(connection), events, deadline);
    if (wake != Wake::ready) return Course::given_up;
    bool is_open;
    if (!take_in(began, connection, kept, is_open)) return Course::endless;
    return is_open ? Course::over : Course::broken;
}

// Sends what libpq has of the statement.
Course send(PostgresSession &session, const Statement &statement, const Intake &began, const Deadline &deadline,
            Wake &wake) {
    PGconn *connection = session.connection;
    session.has_warned = false;
    if (PQsendQueryParams(connection, statement.sql, statement.count, nullptr, statement.values, nullptr, nullptr, 0) ==
        0)
        return Course::broken;
    PQsetSingleRowMode(connection);
    for (int left; (left = PQflush(connection)) != 0;) {
        if (left < 0) return Course::broken;
        Course course =
            wait_and_read(connection, WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE, began, nullptr, deadline, wake);
        if (course != Course::over) return course;
    }
    return Course::over;
}

// Takes all results in, each when it can be had without waiting.
Course receive(PGconn *connection, const Intake &began, const Deadline &deadline, PGresult *&kept, Wake &wake) {
    for (;;) {
        while (PQisBusy(connection) != 0) {
            Course course = wait_and_read(connection, WL_SOCKET_READABLE, began, kept, deadline, wake);
            if (course != Course::over) return course;
        }
        PGresult *result = PQgetResult(connection);
        if (result == nullptr) return PQstatus(connection) == CONNECTION_OK ? Course::over : Course::broken;
        if (!gather(result, kept)) return Course::senseless;
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
    return repeat_words(session, reply, words == nullptr ? "the connection was lost" : words, trouble);
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

// The parameters of calls are secrets: a new session asks the server not to log them. An error never shows
// them; with log_min_duration_statement a slow call does, unless the role may set that off.
constexpr Statement keep_secrets{
    "SELECT pg_catalog.set_config('log_parameter_max_length_on_error', '0', false), "
    "CASE WHEN pg_catalog.has_parameter_privilege('log_parameter_max_length', 'SET') "
    "THEN pg_catalog.set_config('log_parameter_max_length', '0', false) END",
    2, 0, nullptr};

Reply exchange(PostgresSession &session, const Statement &statement, const Deadline &deadline, PGresult *&rows,
               bool &is_broken, Trouble &trouble) {
    Wake wake = Wake::ready;
    Intake began = begin_statement(session.connection);
    Course course = send(session, statement, began, deadline, wake);
    if (course == Course::over) course = receive(session.connection, began, deadline, rows, wake);
    if (course == Course::over) return judge(session, statement, rows, trouble);
    // An answer that comes later would be taken for that of the next statement.
    PQclear(rows);
    rows = nullptr;
    end(session);
    if (course == Course::senseless) return put_trouble(trouble, Reply::denied, no_registry_there);
    if (course == Course::endless) return put_trouble(trouble, Reply::denied, no_end_there);
    is_broken = course == Course::broken;
    return put_trouble(trouble, Reply::silent, is_broken ? "the connection was lost" : sentence_of(wake));
}

// Begins a session if there is none, or a new one in the place of a worn one. It has as long for that as the
// call has for its answer.
Reply begin(PostgresSession &session, bool &is_broken, Trouble &trouble) {
    Deadline deadline = deadline_in(session.answer_ms);
    Reply reply = connect(session, deadline, trouble);
    if (reply != Reply::answered || !session.is_new) return reply;
    session.is_new = false;
    PGresult *unused = nullptr;
    reply = exchange(session, keep_secrets, deadline, unused, is_broken, trouble);
    PQclear(unused);
    return reply;
}

Reply run_once(PostgresSession &session, const Statement &statement, PGresult *&rows, bool &is_broken,
               Trouble &trouble) {
    Reply reply = begin(session, is_broken, trouble);
    if (reply != Reply::answered) return reply;
    return exchange(session, statement, deadline_in(session.answer_ms), rows, is_broken, trouble);
}

}  // namespace

Reply run(PostgresSession &session, const Statement &statement, PGresult *&rows, Trouble &trouble) {
    bool is_kept = session.connection != nullptr;
    bool is_broken = false;
    rows = nullptr;
    Reply reply = run_once(session, statement, rows, is_broken, trouble);
    // The server may have been started anew since the last call.
    if (is_broken && is_kept) reply = run_once(session, statement, rows, is_broken, trouble);
    return reply;
}

void end(PostgresSession &session) {
    if (session.connection == nullptr) return;
    PQfinish(session.connection);
    session.connection = nullptr;
    ReleaseExternalFD();
}

}  // namespace idgen::lease
