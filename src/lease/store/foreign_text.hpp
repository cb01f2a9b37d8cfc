// What another machine says, as text of the database's encoding: clipped to the room that there is, without
// control characters and without what is no text.
#pragma once

#include <string_view>

#include "pg/postgres.hpp"

namespace idgen::lease {

// Ends it with a 0.
void copy_foreign_text(std::string_view text, char *out, size_t room);

}  // namespace idgen::lease
