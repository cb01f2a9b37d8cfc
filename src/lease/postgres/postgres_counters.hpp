// The counters of a registry in a PostgreSQL: the calls of idgen_registry (docs/registry.md). Names travel as the
// bytes of UTF-8, since another database of this server may have another encoding.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

Reply fetch_from_postgres(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count,
                          Trouble &trouble);
Reply give_back_to_postgres(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                            Trouble &trouble);
Reply manage_postgres_counter(void *self, const CounterCall &call, Trouble &trouble);
Reply find_postgres_locker(void *self, const char *counter, int64 number, const char *&who, Trouble &trouble);
Reply list_postgres_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
