// What a registry's keys in an etcd hold. Below the prefix:
//
//      /registry           identity, floor, limits, how often it was advanced, and the etcd it was written in
//      /number/NNNNNNNNNN  the row of a number (registry/node/rules/registry_row.hpp) and whose it is. It has no lease: R must
//                          outlive its owner
//      /holder/NNNNNNNNNN  is there until the lease is past: etcd removes it
//      /counter/NAME       a counter (registry/node/rules/counter_row.hpp), also a dropped one; NAME is UTF-8
//
// Values are JSON. Fields that a node does not know are passed over, and lost when it writes: a later version may add
// only such. One that lacks a field is refused. A row says how often the registry had been advanced when it was written:
// one that has been since counts as advanced, so that one write advances all.
#pragma once

#include <initializer_list>

#include "registry/node/etcd/etcd_client.hpp"
#include "registry/node/etcd/json.hpp"
#include "registry/node/rules/registry_row.hpp"
#include "registry/node/store/registry.hpp"

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
    int64 mod_revision;  // 0: no server has held it
    RegistryRow row;     // whose lease ends never or long ago
    int64 lease;         // etcd's, of the holder; 0: it never ends
    int64 ttl_ms;
    int64 lease_end_ms;  // when it was held last; 0: for ever, while there is an owner
    std::string_view name;
    int64 system_identifier;
    int32 timeline;
    int64 since_ms;
};

// What a key holds; null if it is not there, or holds no JSON.
Json *value_of(Json *key);

// Whether all of these are there: what is not would count as 0.
bool has_numbers(Json *value, std::initializer_list<std::string_view> names);

// The registry of a key; a new one if the key is null. False if it holds anything else.
bool read_registry(Json *key, std::string_view cluster, EtcdRegistry &registry);
char *print_registry(const EtcdRegistry &registry);

// The number of a key, as it is in that registry; one that no server has held if the key is null. False if it holds
// anything else.
bool read_number(Json *key, bool has_holder, const EtcdRegistry &registry, EtcdNumber &number);
char *print_number(const EtcdNumber &number, const EtcdRegistry &registry);

// What an etcd says of a registry and one number at one revision, and the writes that succeed only if no other node has
// written since.

struct EtcdView {
    EtcdRegistry registry;
    EtcdNumber number;
    int64 now_ms;              // etcd's clock, by the second
    std::string_view cluster;  // its own name
};

// The key of the registry, of a number's row or of its holder: "/registry", "/number/", "/holder/".
char *registry_key(const EtcdClient &client);
char *number_key(const EtcdClient &client, int64 number);
char *holder_key(const EtcdClient &client, int64 number);

// Reads the registry's key and those of a number. Limited: that of the number is damaged, so nothing may be done with it.
Reply look(EtcdClient &client, int64 number, const Deadline &deadline, EtcdView &view, Trouble &trouble);

// Takes the registry's key out of an answer, as its first read; refuses one that was written in another etcd, unless
// the caller makes it safe.
Reply take_registry(const EtcdAnswer &answer, bool may_be_copy, EtcdView &view, Trouble &trouble);

// Sends a transaction; `is_done` says whether what it compared was so.
Reply commit(EtcdClient &client, EtcdTxn &txn, const Deadline &deadline, bool &is_done, Trouble &trouble);

enum class HolderChange : uint8 { put, remove };

// Writes the registry, or the row of a number; `is_done` is false if another node wrote since the look, or the
// lease is gone.
Reply write_registry(EtcdClient &client, const EtcdView &view, const EtcdRegistry &next, const Deadline &deadline,
                     bool &is_done, Trouble &trouble);
Reply write_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdNumber &next, HolderChange change,
                   const Deadline &deadline, bool &is_done, Trouble &trouble);

// Removes the row of a number, together with a write of the registry.
Reply remove_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdRegistry &next,
                    const Deadline &deadline, bool &is_done, Trouble &trouble);

// Lengthens a lease of etcd's, or asks for a new one if it is past or there is none (0).
Reply lengthen_lease(EtcdClient &client, int64 ttl_ms, const Deadline &deadline, int64 &lease, Trouble &trouble);

// The numbers of a registry in an etcd.

// The rows lie in memory of the caller's context. A number whose key is damaged is listed as held.
Reply list_numbers(EtcdClient &client, const NumberRange &range, const Deadline &deadline, MemoryContext caller,
                   Registration &registration, Trouble &trouble);

}  // namespace idgen::lease
