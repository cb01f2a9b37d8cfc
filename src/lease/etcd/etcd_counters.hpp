// The counters of a registry in an etcd, a key for each. Whoever may write there may do everything: etcd knows no owner
// of a registry.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

Reply call_etcd_counter(void *self, const RegistryIdentity &identity, const CounterCall &call, CounterAnswer &answer,
                        Trouble &trouble);
Reply list_etcd_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
