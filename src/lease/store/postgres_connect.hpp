// Opening a session with the registry's PostgreSQL.
#pragma once

#include "lease/store/postgres_session.hpp"

namespace idgen::lease {

// Opens one where there is none.
Reply connect(PostgresSession &session, const Deadline &deadline, Trouble &trouble);

// What an SQLSTATE means to a node that makes a call.
Reply reply_of(const char *sqlstate) noexcept;

// Makes what the server said the sentence of a trouble, unless it holds the password: no server has it to
// tell, but whoever stands in its place may.
Reply repeat_words(const PostgresSession &session, Reply reply, const char *words, Trouble &trouble);

}  // namespace idgen::lease
