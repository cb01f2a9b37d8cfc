// What the server calls when it loads the library.
#include "pg/reading/settled.hpp"
#include "pg/state/own_shards.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

extern "C" {
PG_MODULE_MAGIC_EXT(.name = "idgen", .version = IDGEN_VERSION);

PGDLLEXPORT void _PG_init(void) {
    idgen::pg::define_settings();
    idgen::pg::watch_transactions();
    if (!process_shared_preload_libraries_in_progress) return idgen::pg::note_loading();
    idgen::pg::install_shared_state_hooks();
    idgen::pg::open_lease_gate();
}
}
