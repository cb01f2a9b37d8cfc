// The facts of idgen.status(), each with its verdict and advice. They put a survey and the settings into words,
// palloc'ed.
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

Fact library_fact(const Survey &survey);
Fact server_fact(const Survey &survey);
Fact shards_fact(const Survey &survey);
Fact settings_fact(const Survey &survey);
Fact databases_fact(const Survey &survey);
Fact nodes_fact(const Survey &survey);
Fact copy_fact(const Survey &survey);
Fact machine_fact(const Survey &survey);
Fact layout_fact(const Survey &survey);
Fact slots_fact(const Survey &survey);
Fact schemas_fact(const Survey &survey);
Fact horizon_fact(const Survey &survey);
Fact renewal_fact(const Survey &survey);
Fact lead_fact(const Survey &survey);
Fact settled_fact(const Survey &survey);
Fact clock_fact(const Survey &survey);
Fact ntp_fact(const Survey &survey);
Fact standby_fact(const Survey &survey);
Fact arrivals_fact(const Survey &survey);

// Defined by the node's side of a registry (registry/node/held).
Fact lease_fact(const Survey &survey);
Fact registry_fact(const Survey &survey);
Fact counters_fact(const Survey &survey);
Fact lease_database_fact(const Survey &survey);

struct FactSource {
    const char *key;
    Fact (*fact)(const Survey &survey);
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
