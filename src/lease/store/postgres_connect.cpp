#include "lease/store/postgres_connect.hpp"

#include "lease/store/postgres_intake.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

constexpr int sqlstate_size = 5;

// Finds "FATAL:  28P01: " in a message, whose first word is in the server's language. Null where there is
// none: it was not the server that refused.
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
        Wake wake = wait_for_socket(PQsocket(session.connection), events, deadline);
        if (wake != Wake::ready) {
            // The next call begins with the next host.
            if (wake == Wake::late) session.turn++;
            return put_trouble(trouble, Reply::silent, sentence_of(wake));
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
    // Its SQLSTATE stands in the message of a refusal alone.
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

bool is_of_class(const char *sqlstate, const char *beginning) noexcept {
    return strncmp(sqlstate, beginning, strlen(beginning)) == 0;
}

}  // namespace

Reply reply_of(const char *sqlstate) noexcept {
    // Rights, password, database, schema, function, arguments, a standby, a copy.
    const char *const denials[] = {"28", "42", "3D", "3F", "22", "25006", "55000"};
    for (const char *denial : denials)
        if (is_of_class(sqlstate, denial)) return Reply::denied;
    return Reply::silent;
}

Reply repeat_words(const PostgresSession &session, Reply reply, const char *words, Trouble &trouble) {
    const char *password = PQpass(session.connection);
    bool is_told = password != nullptr && *password != '\0' && strstr(words, password) != nullptr;
    return put_trouble(trouble, reply, is_told ? "the server's message holds the password and is not shown" : words);
}

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

}  // namespace idgen::lease
