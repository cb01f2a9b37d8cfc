// What the functions that call a registry share (registry_sql.cpp).
#pragma once

#include "registry/node/store/registry.hpp"

namespace idgen::lease {

// The value of a setting; empty if there is none.
const char *setting(const char *name);

// Opens the registry of idgen.registry; it is closed with the statement's memory.
Registry open_configured();

// Raises what kept a call from being answered; a cancellation first, which is why it was given up then.
void require_answer(Reply reply, const Trouble &trouble);

}  // namespace idgen::lease
