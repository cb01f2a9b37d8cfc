// The setting idgen.keys, and the keys that it holds: the secret of this server's public IDs. Only a
// superuser may see or set it; the functions that use it read it here, so every role may call them. It is
// defined only where the server loads the library when it starts: otherwise the server would not know it as a
// secret, and show it to everybody until a session loads the library. It is refused for a database, a role or
// a function, because the catalogs that hold such settings are open to everybody. No message tells a key,
// and where the server would log the value, as it does when a reload changes it, it is overwritten.
#pragma once

#include "core/cipher/key_ring.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Does nothing unless the server loads the library at its start.
void define_keys();

// The key of that number; 0 means the highest. Raises where there is none.
const CipherKey &key_of(int32 number);

}  // namespace idgen::pg
