#include "lease/store/registry.hpp"

#include "lease/store/etcd_address.hpp"
#include "lease/store/etcd_store.hpp"
#include "lease/store/postgres_address.hpp"
#include "lease/store/postgres_store.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {

bool open_registry(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble) {
    if (looks_like_etcd(address)) return open_etcd(address, answer_ms, registry, trouble);
    if (looks_like_postgres(address)) return open_postgres(address, answer_ms, registry, trouble);
    // Not repeated: it may hold a password.
    put_trouble(trouble, Reply::denied,
                "idgen.registry is no address: it begins with none of postgresql://, etcd:// and etcds://");
    return false;
}

}  // namespace idgen::lease
