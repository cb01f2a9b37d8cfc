// Which type is the type ulid, wherever its schema is.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

bool is_ulid_type(Oid type);

}  // namespace idgen::pg
