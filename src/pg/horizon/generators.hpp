// Takes the generators of DecimalIds (core/durable/durable_record.hpp): that one is taken is durable before it is
// used.
#pragma once

#include "pg/horizon/durable_page.hpp"

namespace idgen::pg {

// Tries once to have a generator with a counter left.
Outcome renew_generator();

// Writes the first record of the generators, above what this server has taken in this database before.
void create_generators();

}  // namespace idgen::pg
