// The settings of numbers from a registry, as plain values; docs/settings.md is their manual. Without
// shared_preload_libraries there are none: nothing could keep a number.
#pragma once

#include "core/lease/lease.hpp"
#include "core/lease/number_choice.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

struct LeaseSettings {
    const char *registry;  // its address; empty: none. May hold a password: not for a message or a view
    const char *database;  // where the record of the numbers lies
    const char *name;      // what others see of this server; empty: host and port
    NumberRange range;
    int count;
    int ttl_ms;
    int window_ms;  // as it is set; see lease_rules()
};

extern LeaseSettings lease_settings;

void define_lease_settings();

inline bool has_registry() noexcept {
    return lease_settings.registry != nullptr && lease_settings.registry[0] != '\0';
}

// A window is shorter than the lease, whatever is set.
LeaseRules lease_rules() noexcept;

}  // namespace idgen::pg
