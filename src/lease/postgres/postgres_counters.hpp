// The counters of a registry in a PostgreSQL: the calls of idgen_registry (docs/registry.md). Names travel as the
// bytes of UTF-8, since another database of this server may have another encoding.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

Reply call_postgres_counter(void *self, const RegistryIdentity &identity, const CounterCall &call,
                            CounterAnswer &answer, Trouble &trouble);
Reply list_postgres_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
