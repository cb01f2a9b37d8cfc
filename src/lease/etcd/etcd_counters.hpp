// The counters of a registry in an etcd, a key for each. A user who may write there may do everything: etcd knows no
// owner of a registry.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

// Each counter that another node writes meanwhile is tried again without the others. One whose key holds something else
// awaits its owner's word.
Reply fetch_from_etcd(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count, Trouble &trouble);
Reply give_back_to_etcd(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                        Trouble &trouble);

Reply manage_etcd_counter(void *self, const CounterCall &call, Trouble &trouble);
Reply list_etcd_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
