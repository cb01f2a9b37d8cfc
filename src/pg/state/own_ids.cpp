#include "pg/state/own_ids.hpp"

#include "pg/host/clock.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

namespace {

// Where a slot stands. False if it is another shard's by now.
bool read_slot(const SharedReference &reference, Position &last) noexcept {
    if (reference.entry == nullptr) return false;
    Guard<SpinLock> guard(reference.entry->mutex);
    last = {reference.entry->slot.tick, reference.entry->slot.sequence};
    return is_current(reference);
}

// Where the slot of a key stands; before_all: it has none, and all that it made lies below the floor. That is true after
// the lock: under it, the session that takes a slot back lifts the floor.
Position position_of_slot(SharedState *state, const SlotKey &key) {
    Position last;
    if (read_slot(unlocked_directory_of(state).find(key), last)) return last;
    PatientGuard guard(state->lock);
    return read_slot(directory_of(state).find_surely(key), last) ? last : before_all;
}

// Whether an ID lies above a position. no_sequence: nothing is left in that tick.
bool is_above(const Parts &id, const Position &last) noexcept {
    if (id.tick != last.tick) return id.tick > last.tick;
    return last.sequence != no_sequence && id.sequence > last.sequence;
}

}  // namespace

bool OwnIds::is_own(SharedState *state, uint32 shard) const noexcept {
    if (has_registry()) {
        const HeldNumber *held = find_lease(leases_of(state), shard);
        return held != nullptr && cap_of(*held, shard) > wall_ms();
    }
    bool is_list = settings.shards_from == ShardsFrom::list;
    return is_list && owns(settings.shards, static_cast<uint32>(settings.region), layout_, shard);
}

// A layout whose time wraps makes the same IDs again. Where the horizon was lowered, own IDs can lie above it.
Maker OwnIds::maker_of(int64 id, uint32 &shard) const {
    Parts parts;
    SharedState *state = is_preloaded() ? find_shared_state() : attached_state();
    bool is_told = state != nullptr && layout_.node_bits() != 0 && !packing_.wraps;
    if (!is_told || !unpack(packing_, id, parts) || !is_own(state, parts.shard)) return Maker::elsewhere;
    shard = parts.shard;
    SharedDatabase *database = find_database(state);
    if (database == nullptr || database->resets.load() != 0) return Maker::perhaps_here;
    const Horizon &horizon = database->horizon;
    auto is_above_floor = [&] {
        int64 floor_ms = Max(horizon.floor_ms.load(), claimed_ms(leases_of(state), shard));
        return parts.tick >= tick_from(packing_, us_of(floor_ms));
    };
    // Old rows, which are most of a table, need no lock.
    if (!is_above_floor()) return Maker::perhaps_here;
    Position last = position_of_slot(state, {key_of(layout_), MyDatabaseId, shard});
    bool is_above_all = is_above(parts, last) && is_above_floor();
    bool is_known = horizon.granted_ms.load() != 0 && database->resets.load() == 0;
    return is_above_all && is_known ? Maker::another : Maker::perhaps_here;
}

}  // namespace idgen::pg
