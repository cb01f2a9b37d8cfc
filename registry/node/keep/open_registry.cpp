#include "registry/node/store/registry.hpp"

#include "registry/node/etcd/etcd_store.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/postgres/postgres_store.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {

bool open_registry(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble) {
    switch (pg::scheme_of(address)) {
        case pg::RegistryScheme::etcd:
            return open_etcd(address, answer_ms, registry, trouble);
        case pg::RegistryScheme::postgresql:
            return open_postgres(address, answer_ms, registry, trouble);
        case pg::RegistryScheme::unknown:
            break;
    }
    // Not repeated: it may hold a password.
    put_trouble(trouble, Reply::denied,
                "idgen.registry is not an address: it must begin with postgresql://, etcd:// or etcds://");
    return false;
}

}  // namespace idgen::lease
