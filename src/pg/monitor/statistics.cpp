#include "pg/monitor/statistics.hpp"

#include "pg/state/slot_directory.hpp"
#include "pg/state/undecided.hpp"

namespace idgen::pg {
namespace {

SlotOwner owner_of(const SlotKey &key, LayoutForm form) noexcept {
    bool is_clock = key.shard == clock_shard;
    return {layout_of(key.packing, form), is_clock ? 0 : key.shard, is_clock};
}

SlotCopy copy_of(SharedSlot &entry) noexcept {
    Guard<SpinLock> guard(entry.mutex);
    return {entry.link.key, entry.form, entry.use, entry.slot, entry.waits, entry.wait_us, entry.max_lead_ms};
}

// Copies whose slot a tag is of; false if it is no slot's, or that one is another shard's now.
bool copy_owner(SharedState *state, uint64 slot_tag, SlotOwner &owner) noexcept {
    auto number = static_cast<uint32>(slot_tag);
    if (number >= state->max_slots) return false;
    SharedSlot &slot = slots_of(state)[number];
    SlotKey key;
    LayoutForm form;
    {
        Guard<SpinLock> guard(slot.mutex);
        if (slot.generation != slot_tag >> 32) return false;
        key = slot.link.key;
        form = slot.form;
    }
    owner = owner_of(key, form);
    return true;
}

}  // namespace

SlotOwner owner_of(const SlotCopy &copy) noexcept {
    return owner_of(copy.key, copy.form);
}

SlotCopies copy_slots(SharedState *state) {
    uint32 used = unlocked_directory_of(state).slots_used();
    SlotCopies copies{static_cast<SlotCopy *>(palloc((used + 1) * sizeof(SlotCopy))), 0};
    for (uint32 i = 0; i < used; i++) {
        SlotCopy &row = copies.rows[copies.count];
        row = copy_of(slots_of(state)[i]);
        if (row.key.database != 0) copies.count++;
    }
    return copies;
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

bool copy_leader(SharedState *state, uint32 process, BackendCopy &copy) noexcept {
    Oid database = processes_of(state)[process].database.load();
    int64 start_ms = announced_ms(state, process, database);
    if (start_ms == 0) return false;
    const volatile PGPROC &leader = ProcGlobal->allProcs[process];
    uint32 number = backend_number_of(leader);
    if (number < state->backend_count && copy_backend(state, number, copy)) return false;
    copy = BackendCopy{};
    copy.pid = static_cast<uint32>(leader.pid);
    copy.database = database;
    copy.user = leader.roleId;
    copy.announced_ms = start_ms;
    return true;
}

}  // namespace idgen::pg
