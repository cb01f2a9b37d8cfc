// Settings that ALTER DATABASE and ALTER ROLE stored: they reach only connections that begin later.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// Whether a value of that name is stored for this session's database or user.
bool is_setting_stored(const char *name);

}  // namespace idgen::pg
