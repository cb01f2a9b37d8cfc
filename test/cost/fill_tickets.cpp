// Only for the suite of cost: gives the server's first counter tickets as its keeper would, without a registry.
//
//      CREATE FUNCTION fill_tickets(size bigint, tickets bigint) RETURNS void
//          `size` is that of the memory "idgen tickets" as pg_shmem_allocations says
#include "registry/node/tickets/shared_tickets.hpp"

namespace idgen::lease {

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fill_tickets);

Datum fill_tickets(PG_FUNCTION_ARGS) {
    bool found;
    void *memory = ShmemInitStruct("idgen tickets", static_cast<Size>(PG_GETARG_INT64(0)), &found);
    // The entries lie behind the head, aligned as they are: registry/node/tickets/shared_tickets.cpp.
    constexpr size_t align = alignof(SharedCounter);
    auto *counter = reinterpret_cast<SharedCounter *>(static_cast<char *>(memory) +
                                                      (sizeof(SharedTickets) + align - 1) / align * align);
    Guard<pg::SpinLock> guard(counter->mutex);
    counter->tickets.ranges[0] = {1, PG_GETARG_INT64(1)};
    counter->tickets.count = 1;
    counter->tickets.block = 2;
    counter->state = TicketState::given;
    PG_RETURN_VOID();
}

}  // extern "C"
}  // namespace idgen::lease
