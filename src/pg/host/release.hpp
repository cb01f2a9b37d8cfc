// Which release runs here: that of this library, and that of the extension's SQL in this database. They differ between
// an exchange of the files and ALTER EXTENSION UPDATE.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// The version of this library.
const char *library_version() noexcept;

// Whether this library is of that version or a later one. Requires that the text is a version.
bool is_library_at_least(const char *version) noexcept;

// The version of the extension, palloc'ed; null if it is not installed.
const char *extension_version();

}  // namespace idgen::pg
