#include "pg/monitor/statistics.hpp"

#include "core/kinds/hlc.hpp"
#include "pg/draw/settled.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {
namespace {

SlotOwner owner_of(const SharedSlot &slot) noexcept {
    bool is_hlc = slot.link.key.shard == hlc_shard;
    return {layout_of(slot.link.key.packing, slot.form), is_hlc ? 0 : slot.link.key.shard, is_hlc};
}

SlotCopy copy_of(SharedSlot &entry) noexcept {
    SlotOwner owner = owner_of(entry);
    Guard<SpinLock> guard(entry.mutex);
    return {owner, entry.slot, entry.waits, entry.wait_us, entry.max_lead_ms};
}

// Copies whose slot a tag is of; false if it is no slot's, or that one is another shard's now.
bool copy_owner(SharedState *state, uint64 slot_tag, SlotOwner &owner) noexcept {
    auto number = static_cast<uint32>(slot_tag);
    if (number >= state->max_slots) return false;
    const SharedSlot &slot = slots_of(state)[number];
    ReadGuard guard(state->lock);
    owner = owner_of(slot);
    return slot.generation == slot_tag >> 32;
}

// Copies up to `capacity` of the slots; gives how many there are.
uint32 copy_up_to(SharedState *state, SlotCopy *rows, uint32 capacity) noexcept {
    uint32 count = 0;
    ReadGuard guard(state->lock);
    directory_of(state).for_each_slot(MyDatabaseId, [&](SharedSlot &entry) {
        if (count < capacity) rows[count] = copy_of(entry);
        count++;
    });
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
    ReadGuard guard(state->lock);
    const SharedDatabase *database = directory_of(state).find_database(MyDatabaseId);
    return {database == nullptr ? SlotCounts{0, 0} : database->slots, state->directory.slots};
}

bool find_shardless(SharedState *state, Layout &layout) noexcept {
    bool found = false;
    ReadGuard guard(state->lock);
    directory_of(state).for_each_slot(MyDatabaseId, [&](const SharedSlot &slot) {
        // The hybrid logical clock's slot has no shard either, but a number that is none.
        const SlotKey &key = slot.link.key;
        if (found || key.packing.node_bits != 0 || key.shard > max_shard) return;
        found = true;
        layout = layout_of(key.packing, slot.form);
    });
    return found;
}

bool find_twin(SharedState *state, uint32 &next, Twin &twin) noexcept {
    ReadGuard guard(state->lock);
    SlotDirectory directory = directory_of(state);
    while (next < state->max_slots) {
        SlotKey key = slots_of(state)[next++].link.key;
        Oid database = key.database;
        if (database == 0 || database == MyDatabaseId || key.packing.node_bits == 0) continue;
        key.database = MyDatabaseId;
        SharedReference own = directory.find(key);
        if (own.entry == nullptr) continue;
        twin = {database, key.shard, layout_of(key.packing, own.entry->form)};
        return true;
    }
    return false;
}

bool copy_backend(SharedState *state, uint32 number, BackendCopy &copy) noexcept {
    SharedBackend &backend = backends_of(state)[number];
    copy.pid = pg_atomic_read_u32(&backend.pid);
    pg_read_barrier();
    copy.last_id = pg_atomic_read_u64(&backend.last_id);
    if (copy.pid == 0 || copy.last_id == 0) return false;
    copy.database = backend.database;
    copy.user = backend.user;
    // In this order: a reset in between would leave fewer than none.
    uint64 ids_before = pg_atomic_read_u64(&backend.ids_before);
    pg_read_barrier();
    copy.ids = pg_atomic_read_u64(&backend.ids) - ids_before;
    copy.waits = pg_atomic_read_u64(&backend.waits);
    copy.wait_us = pg_atomic_read_u64(&backend.wait_us);
    copy.announced_ms = announced_ms(state, backend.process, copy.database);
    copy.has_slot = copy_owner(state, pg_atomic_read_u64(&backend.slot_tag), copy.owner);
    pg_read_barrier();
    return pg_atomic_read_u32(&backend.pid) == copy.pid;
}

}  // namespace idgen::pg
