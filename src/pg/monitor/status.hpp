// What idgen_status() says: a survey in words, each fact with a verdict and, where something is to be done,
// with what.
#pragma once

#include "pg/monitor/survey.hpp"

namespace idgen::pg {

struct Fact {
    const char *key;
    const char *value;
    bool is_ok;
    const char *advice;  // null: nothing to do
};

constexpr int fact_count = 13;

// Puts survey and settings into words, palloc'ed.
void state_facts(const Survey &seen, Fact facts[fact_count]);

}  // namespace idgen::pg
