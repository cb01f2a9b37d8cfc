// What a registry's keys in an etcd hold. Below the prefix:
//
//      /registry           identity, floor, limits, how often it was advanced, and the etcd it was written in
//      /number/NNNNNNNNNN  the row of a number (core/lease/registry_row.hpp) and whose it is. It has no
//      lease:
//                          R must outlive its owner
//      /holder/NNNNNNNNNN  is there as long as the lease is not past: etcd removes it
//
// Values are JSON. A row says how often the registry had been advanced when it was written: one that has been
// since counts as advanced, so that one write advances all.
#pragma once

#include "core/lease/registry_row.hpp"
#include "lease/store/json.hpp"
#include "lease/store/registry.hpp"

namespace idgen::lease {

struct EtcdRegistry {
    int64 mod_revision;  // 0: there is none yet
    RegistryIdentity identity;
    int64 floor_ms;
    int64 max_ahead_ms;
    int64 largest_number;
    int64 longest_ttl_ms;  // 0: no limit
    int64 advances;
    std::string_view cluster;  // etcd's own name of the one that it was written in
};

struct EtcdNumber {
    int64 mod_revision;  // 0: nobody has held it
    RegistryRow row;     // whose lease ends never or long ago
    int64 lease;         // etcd's, of the holder; 0: it never ends
    int64 ttl_ms;
    int64 lease_end_ms;  // when it was held last; 0: for ever, as long as there is an owner
    std::string_view name;
    int64 system_identifier;
    int32 timeline;
    int64 since_ms;
};

// The registry of a key; a new one where the key is null. False where it holds something else.
bool read_registry(Json *key, std::string_view cluster, EtcdRegistry &registry);
char *print_registry(const EtcdRegistry &registry);

// The number of a key, as it is in that registry; one that nobody has held where the key is null. False where
// it holds something else.
bool read_number(Json *key, bool has_holder, const EtcdRegistry &registry, EtcdNumber &number);
char *print_number(const EtcdNumber &number, const EtcdRegistry &registry);

}  // namespace idgen::lease
