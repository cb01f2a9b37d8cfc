// Opening a session with the registry's PostgreSQL.
#pragma once

#include "lease/store/postgres_session.hpp"

namespace idgen::lease {

// Opens one where there is none.
Reply connect(PostgresSession &session, const Deadline &deadline, Trouble &trouble);

// What an SQLSTATE means to a node that makes a call.
Reply reply_of(const char *sqlstate) noexcept;

}  // namespace idgen::lease
