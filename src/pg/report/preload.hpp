// Advice to have the server load the modules when it starts.
#pragma once

namespace idgen::pg {

// The statement that keeps what is loaded now, and adds the library: it goes before what postgresql.conf says. Palloc'ed,
// as a sentence.
const char *preload_hint();
// The same with idgen_lease behind it.
const char *preload_lease_hint();
// The same where the process of idgen_lease does not run: the module may be loaded.
const char *keeper_hint();

}  // namespace idgen::pg
