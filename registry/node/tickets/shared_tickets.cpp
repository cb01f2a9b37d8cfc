#include "registry/node/tickets/shared_tickets.hpp"

#include "registry/node/held/lease_gate.hpp"

namespace idgen::lease {
namespace {

SharedTickets *attached = nullptr;
shmem_request_hook_type previous_request_hook = nullptr;
shmem_startup_hook_type previous_startup_hook = nullptr;

// Entries lie behind the SharedTickets, buckets behind them: the first entry of each, -1 for none.
constexpr size_t entries_offset = (sizeof(SharedTickets) + 63) / 64 * 64;

uint32 configured_size() noexcept {
    const pg::LeaseGate *gate = pg::find_lease_gate();
    return gate == nullptr ? 1 : static_cast<uint32>(gate->settings().max_counters);
}

size_t memory_size(uint32 size) noexcept {
    return entries_offset + size * (sizeof(SharedCounter) + sizeof(int32));
}

int32 *buckets_of(SharedTickets *tickets) noexcept {
    return reinterpret_cast<int32 *>(counters_of(tickets) + tickets->size);
}

int32 &bucket_of(SharedTickets *tickets, const CounterName &name) noexcept {
    auto *bytes = reinterpret_cast<const unsigned char *>(name.text);
    return buckets_of(tickets)[hash_bytes(bytes, static_cast<int>(strlen(name.text))) % tickets->size];
}

void initialise(SharedCounter &counter) noexcept {
    memset(static_cast<void *>(&counter), 0, sizeof(counter));
    counter.mutex.initialise();
    counter.next = -1;
    ConditionVariableInit(&counter.changed);
}

void initialise(SharedTickets *tickets, uint32 size) {
    memset(static_cast<void *>(tickets), 0, sizeof(*tickets));
    tickets->size = size;
    tickets->tranche = pg::new_tranche("idgen tickets");
    tickets->lock.initialise(tickets->tranche);
    pg_atomic_init_u32(&tickets->used, 0);
    pg_atomic_init_u32(&tickets->is_room_wanted, 0);
    ConditionVariableInit(&tickets->has_room);
    for (uint32 i = 0; i < size; i++) {
        initialise(counters_of(tickets)[i]);
        buckets_of(tickets)[i] = -1;
    }
}

void request_memory() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(memory_size(configured_size()));
}

void attach_at_start() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found;
    uint32 size = configured_size();
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    attached = static_cast<SharedTickets *>(ShmemInitStruct("idgen tickets", memory_size(size), &found));
    if (!found) initialise(attached, size);
    LWLockRelease(AddinShmemInitLock);
    pg::name_tranche(attached->tranche, "idgen tickets");
}

SharedCounter *entry_of(SharedTickets *tickets, const CounterName &name) noexcept {
    for (int32 i = bucket_of(tickets, name); i >= 0; i = counters_of(tickets)[i].next)
        if (strcmp(counters_of(tickets)[i].name.text, name.text) == 0) return &counters_of(tickets)[i];
    return nullptr;
}

uint32 generation_of(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    return counter.generation;
}

bool is_free(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    return !counter.is_used;
}

void begin(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    counter.is_used = true;
}

// Forgets a counter; a session that still refers to it finds another generation.
void clear(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    counter.is_used = counter.is_asked = counter.is_refused = false;
    counter.state = TicketState::unknown;
    counter.generation++;
    counter.tickets = {};
    counter.wish = counter.too_long = counter.drawn = counter.fetches = counter.waits = 0;
    counter.locker[0] = '\0';
    counter.answered = counter.asked;
}

SharedCounter *add_counter(SharedTickets *tickets, const CounterName &name) noexcept {
    for (uint32 i = 0; i < tickets->size; i++) {
        SharedCounter &counter = counters_of(tickets)[i];
        if (!is_free(counter)) continue;
        counter.name = name;
        counter.drawn_before = counter.recent = counter.locked_since_ms = counter.asks_at_ms = counter.asked_who_ms = 0;
        int32 &bucket = bucket_of(tickets, name);
        counter.next = bucket;
        bucket = static_cast<int32>(i);
        begin(counter);
        pg_atomic_fetch_add_u32(&tickets->used, 1);
        return &counter;
    }
    return nullptr;
}

}  // namespace

void install_ticket_hooks() {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = attach_at_start;
}

SharedTickets *shared_tickets() noexcept {
    return attached;
}

SharedCounter *counters_of(SharedTickets *tickets) noexcept {
    return reinterpret_cast<SharedCounter *>(reinterpret_cast<char *>(tickets) + entries_offset);
}

void remove_counter(SharedTickets *tickets, SharedCounter &counter) {
    {
        Guard<pg::LightLock> guard(tickets->lock);
        auto number = static_cast<int32>(&counter - counters_of(tickets));
        int32 *link = &bucket_of(tickets, counter.name);
        while (*link != number) link = &counters_of(tickets)[*link].next;
        *link = counter.next;
        clear(counter);
        pg_atomic_fetch_sub_u32(&tickets->used, 1);
        pg_atomic_write_u32(&tickets->is_room_wanted, 0);
    }
    // Sessions that wait for this counter find that it is gone, those that wait for room that there is some.
    ConditionVariableBroadcast(&counter.changed);
    ConditionVariableBroadcast(&tickets->has_room);
}

bool find_counter(SharedTickets *tickets, const CounterName &name, CounterReference &reference) {
    pg::PatientGuard guard(tickets->lock);
    reference.entry = entry_of(tickets, name);
    if (reference.entry == nullptr) reference.entry = add_counter(tickets, name);
    if (reference.entry != nullptr) reference.generation = generation_of(*reference.entry);
    return reference.entry != nullptr;
}

int64 last_forgotten(SharedTickets *tickets, const CounterName &name) noexcept {
    Guard<pg::LightLock> guard(tickets->lock);
    SharedCounter *counter = entry_of(tickets, name);
    if (counter == nullptr) return -1;
    Guard<pg::SpinLock> entry_guard(counter->mutex);
    bool is_doubted = counter->state == TicketState::awaits_advance || counter->state == TicketState::older;
    return is_doubted ? counter->tickets.end - 1 : -1;
}

}  // namespace idgen::lease
