// What the server calls when it loads the library.
#include "lease/keep/worker.hpp"
#include "pg/postgres.hpp"

extern "C" {
PG_MODULE_MAGIC_EXT(.name = "idgen_lease", .version = IDGEN_VERSION);

PGDLLEXPORT void _PG_init(void) {
    // The settings are defined there: before they are, anybody could set them.
    load_file("idgen", false);
    if (process_shared_preload_libraries_in_progress) idgen::lease::register_worker();
}
}
