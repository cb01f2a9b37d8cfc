// What a role may read of the words about a registry. They can hold its host, port and user, and what its
// server said: that is for superusers and members of pg_monitor, and for the server's log.
#pragma once

#include "pg/state/leases.hpp"

namespace idgen::pg {

inline bool may_see_address() {
    return has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

// Puts bare words in the place of the keeper's, in a copy that is made for the current role.
inline void hide_address(RegistryState &registry) {
    if (registry.trouble[0] == '\0' || may_see_address()) return;
    const char *bare =
        registry.silent_since_ms != 0 ? "the registry does not answer" : "numbers of this server cannot be kept now";
    strlcpy(registry.trouble, bare, sizeof(registry.trouble));
}

// What the keeper says of the registry, for the current role: the only way of its words to a reader.
inline RegistryState registry_for_reader(SharedLeases &leases) {
    RegistryState registry = look_at_registry(leases);
    hide_address(registry);
    return registry;
}

}  // namespace idgen::pg
