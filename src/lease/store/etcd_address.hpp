// The address of a registry in an etcd:
//
//      etcd://user:password@host:port,host:port/prefix          etcds:// with TLS
//      etcds://host:port/prefix?cacert=FILE&cert=FILE&key=FILE
//
// User, password, prefix and files are percent-encoded. The keys of the registry begin with the prefix,
// /idgen if there is none.
#pragma once

#include "lease/store/registry.hpp"

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

// Takes it apart, by palloc. False, and the trouble, where it is none.
bool parse_etcd_address(const char *text, EtcdAddress &address, Trouble &trouble);

}  // namespace idgen::lease
