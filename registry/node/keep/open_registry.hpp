// Opens whichever store the setting idgen.registry names.
#pragma once

#include "registry/node/store/registry.hpp"

namespace idgen::lease {

// Opens the store of idgen.registry in the current memory context; nothing is sent yet. It is closed with the context
// if not before. `answer_ms` is how long a call waits. False, and the trouble, if it is not an address.
bool open_registry(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

}  // namespace idgen::lease
