// The facts of idgen.status(), each with its verdict and advice: a survey and the settings in words, by palloc.
#pragma once

#include "pg/monitor/survey.hpp"

namespace idgen::pg {

struct Fact {
    const char *value;  // null: the row is not shown
    bool is_ok;
    const char *advice;  // null: nothing to do
};

// Nothing is to be said.
constexpr Fact no_fact{};

using FactOf = Fact(const Survey &survey);

FactOf library_fact, server_fact, shards_fact, settings_fact, databases_fact, nodes_fact, copy_fact, machine_fact;
FactOf layout_fact, slots_fact, schemas_fact, horizon_fact, renewal_fact, lead_fact, settled_fact, clock_fact, ntp_fact;
FactOf standby_fact, arrivals_fact;

// Defined by the node's side of a registry (registry/node/held).
FactOf lease_fact, registry_fact, counters_fact, lease_database_fact;

struct FactSource {
    const char *key;
    FactOf *fact;
    bool needs_library = false;  // else there is such a fact, too, while the library is not loaded
};

// The facts in the order in which they are shown.
constexpr FactSource facts[] = {
    {"library", library_fact},
    {"server", server_fact},
    {"shards", shards_fact},
    {"settings", settings_fact},
    {"lease", lease_fact},
    {"registry", registry_fact},
    {"counters", counters_fact},
    {"lease_database", lease_database_fact},
    {"nodes", nodes_fact, true},
    {"databases", databases_fact},
    {"copy", copy_fact},
    {"machine", machine_fact, true},
    {"horizon", horizon_fact},
    {"renewal", renewal_fact, true},
    {"lead", lead_fact, true},
    {"settled", settled_fact, true},
    {"clock", clock_fact, true},
    {"ntp", ntp_fact},
    {"standby", standby_fact},
    {"layout", layout_fact, true},
    {"slots", slots_fact, true},
    {"schemas", schemas_fact},
    {"arrivals", arrivals_fact, true},
};

// A fact as idgen.status() says it.
Fact fact_of(const FactSource &source, const Survey &survey);

}  // namespace idgen::pg
