// Requests to an etcd over its v3 JSON gateway. The endpoints are tried in turn, each for its share of the
// time, beginning with the one that answered last; a token is fetched where user and password are given, and
// again after every call that fails: what a server does not like about a token it need not say.
#pragma once

#include "lease/store/etcd_address.hpp"
#include "lease/store/http.hpp"
#include "lease/store/json.hpp"

namespace idgen::lease {

struct EtcdClient {
    EtcdAddress address;
    HttpClient http;
    int endpoint;  // that answered last
    char *token;   // null: none; in `memory`
    MemoryContext memory;
};

struct EtcdAnswer {
    Json *json;
    int64 now_ms;        // its clock, by the second
    bool is_lease_gone;  // it knows no such lease: nothing was done
};

// Posts to a path such as "kv/txn". A request may have been executed also where it is not answered.
Reply ask(EtcdClient &client, const char *path, const char *body, const Deadline &deadline, EtcdAnswer &answer,
          Trouble &trouble);

}  // namespace idgen::lease
