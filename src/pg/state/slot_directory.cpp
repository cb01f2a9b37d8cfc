#include "pg/state/slot_directory.hpp"

#include "pg/report/report_shards.hpp"
#include "pg/state/database_directory.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_entry.hpp"

namespace idgen::pg {
namespace {

// The functions ending in _locked need SharedState::lock: to search in any mode, else exclusive.

// The same for a slot that was not just given out. One given out by a clock ahead of this one counts as old.
bool retire_if_idle(SharedSlot &slot, int64 now_ms, int64 &end_ms) noexcept {
    int64 idle_since_ms = now_ms - slot_idle_ms;
    bool is_new = slot.given_ms > idle_since_ms && slot.given_ms <= now_ms;
    return !is_new && retire_if_over(slot, idle_since_ms, end_ms);
}

// Whether the slot is such a one as is to become free.
bool would_end(Shortage shortage, const SharedSlot &slot) noexcept {
    bool is_mine = slot.link.key.database == MyDatabaseId;
    switch (shortage) {
        case Shortage::none:
            break;
        case Shortage::share_others:
            return is_mine && slot.claim == Claim::other;
        case Shortage::share:
            return is_mine;
        case Shortage::server_others:
            return slot.claim == Claim::other;
        case Shortage::server:
            return true;
    }
    return false;
}

// Frees one idle slot against the shortage.
bool free_idle_slot_locked(SharedState *state, Shortage shortage, int64 now_ms) noexcept {
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[state->hand];
        state->hand = (state->hand + 1) % state->max_slots;
        Oid owner = slot.link.key.database;
        int64 end_ms;
        if (owner == InvalidOid || !would_end(shortage, slot)) continue;
        if (!retire_if_idle(slot, now_ms, end_ms)) continue;
        SharedDatabase *database = find_database_locked(state, owner);
        raise(database->horizon.floor_ms, end_ms);
        subtract(database->slots, one_slot(slot.claim));
        subtract(state->slots, one_slot(slot.claim));
        free_slot_locked(state, slot);
        return true;
    }
    return false;
}

SlotHandle find_slot_locked(SharedState *state, const SlotKey &key) noexcept {
    int32 number = index_of(state).find(key);
    if (number == no_slot) return {nullptr, 0};
    SharedSlot &slot = slots_of(state)[number];
    return {&slot, slot.generation};
}

// Frees idle slots until one more may be given out. What is still short where there are none.
Shortage make_room_locked(SharedState *state, const SharedDatabase &database, Claim claim,
                          int64 now_ms) noexcept {
    auto share = static_cast<uint32>(slots_per_database());
    for (;;) {
        Shortage shortage = shortage_of(claim, database.slots, share, state->slots, state->max_slots);
        if (shortage == Shortage::none || !free_idle_slot_locked(state, shortage, now_ms)) return shortage;
    }
}

// Gives out a free slot. The slot begins at the database's floor, so a session that read an older floor still
// draws above it; not at the clock, which nobody has checked yet.
SlotHandle give_slot_locked(SharedState *state, SharedDatabase &database, const SlotKey &key,
                            const Layout &layout, Claim claim, int64 now_ms) noexcept {
    int32 number = state->free_slot;
    SharedSlot &slot = slots_of(state)[number];
    state->free_slot = slot.link.next;
    slot.slot = new_slot(packing_of(layout), database.horizon.floor_ms);
    slot.full = {0, 0};
    slot.waits = slot.wait_us = 0;
    slot.form = form_of(layout);
    slot.claim = claim;
    slot.given_ms = now_ms;
    index_of(state).insert(number, key);
    add_slot(database.slots, claim);
    add_slot(state->slots, claim);
    return {&slot, slot.generation};
}

[[noreturn]] void report_shortage(Shortage shortage) {
    switch (shortage) {
        case Shortage::share_others:
            report_others_used(slots_per_database(), true);
        case Shortage::share:
            report_share_used(slots_per_database());
        case Shortage::server_others:
            report_others_used(settings.max_slots, false);
        case Shortage::none:
        case Shortage::server:
            break;
    }
    report_all_slots_used(settings.max_slots);
}

}  // namespace

SlotHandle find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                     int64 now_ms) {
    SlotKey key{key_of(layout), MyDatabaseId, shard};
    LWLockAcquire(&state->lock, LW_SHARED);
    SlotHandle handle = find_slot_locked(state, key);
    LWLockRelease(&state->lock);
    if (handle.slot != nullptr) return handle;

    Claim claim = claim_of(settings.shards, static_cast<uint32>(settings.region), layout, shard);
    for (bool retry = true;; retry = false) {
        Shortage shortage = Shortage::none;
        LWLockAcquire(&state->lock, LW_EXCLUSIVE);
        handle = find_slot_locked(state, key);
        if (handle.slot == nullptr) shortage = make_room_locked(state, *database, claim, now_ms);
        if (handle.slot == nullptr && shortage == Shortage::none)
            handle = give_slot_locked(state, *database, key, layout, claim, now_ms);
        LWLockRelease(&state->lock);
        if (handle.slot != nullptr) return handle;
        if (!retry || !free_dropped_databases(state)) report_shortage(shortage);
    }
}

void place_slots(SharedState *state, int64 at_ms, bool may_lower) noexcept {
    LWLockAcquire(&state->lock, LW_EXCLUSIVE);
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        const SlotKey &key = slot.link.key;
        if (key.database != MyDatabaseId) continue;
        Packing p{};
        p.epoch_ms = key.packing.epoch_ms;
        p.unit_ms = key.packing.unit_ms;
        Slot placed = new_slot(p, at_ms);
        SpinLockAcquire(&slot.mutex);
        if (slot.slot.tick <= placed.tick || may_lower) move_slot(slot.slot, placed);
        SpinLockRelease(&slot.mutex);
    }
    LWLockRelease(&state->lock);
}

}  // namespace idgen::pg
