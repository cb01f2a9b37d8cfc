// Advice to have the server load the modules when it starts.
#pragma once

namespace idgen::pg {

// The statement that keeps what is loaded now, and adds the library: it goes before what postgresql.conf says. Palloc'ed,
// as a sentence. To a role that may not read the setting it says only what a superuser has to do.
const char *preload_hint();
// The same with idgen_lease behind it.
const char *preload_lease_hint();
// That for the server's log, from a process without a role.
const char *preload_lease_hint_for_log();
// The same where the process of idgen_lease does not run: the module may be loaded.
const char *keeper_hint();
// Advice to set idgen.registry: that given, or where it cannot be set yet, the same as preload_lease_hint().
const char *registry_hint(const char *if_loaded);

}  // namespace idgen::pg
