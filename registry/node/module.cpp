// What the server calls when it loads the library.
#include "pg/postgres.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/keep/keeper.hpp"
#include "registry/node/tickets/shared_tickets.hpp"

extern "C" {
PG_MODULE_MAGIC_EXT(.name = "idgen_lease", .version = IDGEN_VERSION);

PGDLLEXPORT void _PG_init(void) {
    // The settings are defined there: before they are, any role could set them.
    load_file("idgen", false);
    if (const idgen::pg::LeaseGate *gate = idgen::pg::find_lease_gate()) idgen::pg::take_machine(*gate->machine);
    if (!process_shared_preload_libraries_in_progress) return;
    idgen::lease::install_ticket_hooks();
    idgen::lease::register_worker();
}
}
