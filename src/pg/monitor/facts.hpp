// The facts of idgen.status(), each with its verdict and advice. They put a survey and the settings into words,
// palloc'ed.
#pragma once

#include "pg/monitor/survey.hpp"

namespace idgen::pg {

struct Fact {
    const char *key;  // null: there is no such fact here
    const char *value;
    bool is_ok;
    const char *advice;  // null: nothing to do
};

// Nothing is to be said.
constexpr Fact no_fact{};

// The numbers that the registry chose: "3, 4".
const char *chosen_numbers(const LeaseSurvey &leases);
// All that the keeper says is wrong; empty: nothing.
const char *all_troubles(const LeaseSurvey &leases);

Fact library_fact(const Survey &survey);
Fact server_fact(const Survey &survey);
Fact shards_fact(const Survey &survey);
Fact lease_fact(const Survey &survey);
Fact registry_fact(const Survey &survey);
Fact counters_fact(const Survey &survey);
Fact lease_database_fact(const Survey &survey);
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

struct FactSource {
    Fact (*fact)(const Survey &survey);
    bool needs_library = false;  // else there is such a fact, too, while the library is not loaded
};

// The facts in the order in which they are shown.
constexpr FactSource facts[] = {
    {library_fact},       {server_fact},     {shards_fact},         {lease_fact},
    {registry_fact},      {counters_fact},   {lease_database_fact}, {nodes_fact, true},
    {databases_fact},     {copy_fact},       {machine_fact, true},  {horizon_fact},
    {renewal_fact, true}, {lead_fact, true}, {settled_fact, true},  {clock_fact, true},
    {ntp_fact},           {standby_fact},    {layout_fact, true},   {slots_fact, true},
    {schemas_fact},
};

}  // namespace idgen::pg
