#include "pg/monitor/statistics.hpp"

#include "pg/draw/hlc_draw.hpp"
#include "pg/state/slot_guard.hpp"

namespace idgen::pg {
namespace {

// The functions ending in _locked need SharedState::lock in any mode.

SlotOwner owner_locked(const SharedSlot &slot) noexcept {
    bool is_hlc = slot.link.key.shard == hlc_shard;
    return {layout_of(slot.link.key.packing, slot.form), is_hlc ? 0 : slot.link.key.shard, is_hlc};
}

void copy_slot_locked(SharedSlot &slot, SlotCopy &copy) noexcept {
    copy.owner = owner_locked(slot);
    SlotGuard guard(slot);
    copy.slot = slot.slot;
    copy.waits = slot.waits;
    copy.wait_us = slot.wait_us;
}

// Copies whose slot it is that a reference names; false where it is no slot's, or that one is somebody else's
// now.
bool copy_owner(SharedState *state, uint64 reference, SlotOwner &owner) noexcept {
    auto number = static_cast<uint32>(reference);
    if (number >= state->max_slots) return false;
    const SharedSlot &slot = slots_of(state)[number];
    LWLockAcquire(&state->lock, LW_SHARED);
    bool is_current = slot.generation == reference >> 32;
    owner = owner_locked(slot);
    LWLockRelease(&state->lock);
    return is_current;
}

// Copies up to `capacity` of the slots; gives how many there are.
uint32 copy_up_to(SharedState *state, SlotCopy *rows, uint32 capacity) noexcept {
    uint32 count = 0;
    LWLockAcquire(&state->lock, LW_SHARED);
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        if (slot.link.key.database != MyDatabaseId) continue;
        if (count < capacity) copy_slot_locked(slot, rows[count]);
        count++;
    }
    LWLockRelease(&state->lock);
    return count;
}

}  // namespace

SlotCopies copy_slots(SharedState *state) {
    uint32 capacity = count_slots(state).database.all + 16;
    for (;;) {
        auto *rows = static_cast<SlotCopy *>(palloc(capacity * sizeof(SlotCopy)));
        uint32 count = copy_up_to(state, rows, capacity);
        if (count <= capacity) return {rows, count};
        pfree(rows);
        capacity = count + 16;
    }
}

SlotUse count_slots(SharedState *state) noexcept {
    SlotUse use{};
    LWLockAcquire(&state->lock, LW_SHARED);
    use.server = state->slots;
    for (uint32 i = 0; i < state->database_count; i++) {
        const SharedDatabase &database = databases_of(state)[i];
        if (database.database == MyDatabaseId) use.database = database.slots;
    }
    LWLockRelease(&state->lock);
    return use;
}

bool find_shardless(SharedState *state, Layout &layout) noexcept {
    bool found = false;
    LWLockAcquire(&state->lock, LW_SHARED);
    for (uint32 i = 0; i < state->max_slots && !found; i++) {
        const SharedSlot &slot = slots_of(state)[i];
        const SlotKey &key = slot.link.key;
        // The hybrid logical clock's slot has no shard either, but a number that is none.
        found = key.database == MyDatabaseId && key.packing.node_bits == 0 && key.shard <= max_shard;
        if (found) layout = layout_of(key.packing, slot.form);
    }
    LWLockRelease(&state->lock);
    return found;
}

bool copy_backend(SharedState *state, uint32 number, BackendCopy &copy) noexcept {
    SharedBackend &backend = backends_of(state)[number];
    copy.pid = pg_atomic_read_u32(&backend.pid);
    pg_read_barrier();
    copy.last_id = pg_atomic_read_u64(&backend.last_id);
    if (copy.pid == 0 || copy.last_id == 0) return false;
    copy.database = backend.database;
    copy.user = backend.user;
    copy.ids = pg_atomic_read_u64(&backend.ids) - pg_atomic_read_u64(&backend.ids_before);
    copy.waits = pg_atomic_read_u64(&backend.waits);
    copy.wait_us = pg_atomic_read_u64(&backend.wait_us);
    copy.has_slot = copy_owner(state, pg_atomic_read_u64(&backend.place), copy.owner);
    pg_read_barrier();
    return pg_atomic_read_u32(&backend.pid) == copy.pid;
}

}  // namespace idgen::pg
