// The address of a registry in an etcd:
//
//      etcd://user:password@host:port,host:port/prefix          etcds:// with TLS
//      etcds://host:port/prefix?cacert=FILE&cert=FILE&key=FILE
//
// User, password, prefix and files are percent-encoded. The keys of the registry begin with the prefix, /idgen if there
// is none.
#pragma once

#include "registry/node/etcd/http.hpp"
#include "registry/node/etcd/json.hpp"
#include "registry/node/store/registry.hpp"

namespace idgen::lease {

struct EtcdAddress {
    static constexpr int most_endpoints = 16;
    const char *endpoints[most_endpoints];  // "http://host:port"
    int endpoint_count;
    const char *user;  // null: none
    const char *password;
    const char *prefix;
    const char *cacert;  // null: the machine's own authorities
    const char *cert;    // null: none
    const char *key;
};

// Takes it apart, by palloc. False, and the trouble, if it is not an address.
bool parse_etcd_address(const char *text, EtcdAddress &address, Trouble &trouble);

// Requests to an etcd over its v3 JSON gateway. The endpoints are tried in turn, each for its share of the time,
// beginning with the one that answered last; a token is fetched if user and password are given, and again after every
// call that fails: a server need not say what is wrong with a token.

struct EtcdClient {
    EtcdAddress address;
    HttpClient http;
    int endpoint;  // that answered last
    char *token;   // null: none; in `memory`
    MemoryContext memory;
};

struct EtcdAnswer {
    Json *json;
    int64 now_ms;           // its clock, by the second
    bool is_lease_gone;     // it knows no such lease: nothing was done
    bool is_token_refused;  // it wants another token, or one at all
};

// Posts to a path such as "kv/txn". A request may have been executed also if it is not answered.
Reply ask(EtcdClient &client, const char *path, const char *body, const Deadline &deadline, EtcdAnswer &answer,
          Trouble &trouble);

}  // namespace idgen::lease
