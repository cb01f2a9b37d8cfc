// The address of a registry in a PostgreSQL: a URI or conninfo as libpq takes it. Requires of it that nothing of a
// password can have ended up in what libpq says in its messages: a host's name, a port, a database.
//
// With several hosts one that takes writes is looked for, unless the address says otherwise; the list can be turned, so
// that one that swallows packets does not use up the time of every call.
#pragma once

#include "registry/node/store/registry.hpp"

namespace idgen::lease {

struct PostgresAddress {
    const char *text;
    const char *hosts;  // as the address lists them; null: not named
    const char *host_addresses;
    const char *ports;
    uint32 host_count;
    bool says_which_server;  // target_session_attrs
};

// Takes it apart, by palloc. False, and the trouble, if it is not an address.
bool parse_postgres_address(const char *text, PostgresAddress &address, Trouble &trouble);

// What PQconnectStartParams is given: two lists that a null ends.
struct ConnectParameters {
    static constexpr int most = 16;
    const char *keywords[most];
    const char *values[most];
};

// The parameters of one attempt, by palloc: the list of hosts turned by that many, dead servers noticed.
ConnectParameters connect_parameters(const PostgresAddress &address, uint32 turn, int64 answer_ms);

}  // namespace idgen::lease
