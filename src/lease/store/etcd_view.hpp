// What an etcd says of a registry and one number at one revision, and the writes that hold only where nobody
// has written since.
#pragma once

#include "lease/store/etcd_client.hpp"
#include "lease/store/etcd_keys.hpp"

namespace idgen::lease {

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

// Reads the registry's key and those of a number.
Reply look(EtcdClient &client, int64 number, const Deadline &deadline, EtcdView &view, Trouble &trouble);

// Takes the registry's key out of an answer, as its first read; refuses one that was written in another etcd,
// unless the caller makes it safe.
Reply take_registry(const EtcdAnswer &answer, bool may_be_copy, EtcdView &view, Trouble &trouble);

enum class HolderChange : uint8 { put, remove };

// Writes the registry, or the row of a number; `is_done` is false where somebody else wrote since the look,
// or the lease is gone.
Reply write_registry(EtcdClient &client, const EtcdView &view, const EtcdRegistry &next, const Deadline &deadline,
                     bool &is_done, Trouble &trouble);
Reply write_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdNumber &next, HolderChange change,
                   const Deadline &deadline, bool &is_done, Trouble &trouble);

// Removes the row of a number, together with a write of the registry.
Reply remove_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdRegistry &next,
                    const Deadline &deadline, bool &is_done, Trouble &trouble);

// Lengthens a lease of etcd's, or asks for a new one where it is past or there is none (0).
Reply lengthen_lease(EtcdClient &client, int64 ttl_ms, const Deadline &deadline, int64 &lease, Trouble &trouble);

}  // namespace idgen::lease
