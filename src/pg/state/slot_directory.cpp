#include "pg/state/slot_directory.hpp"

#include "pg/report/report_shards.hpp"
#include "pg/state/database_directory.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

[[noreturn]] void report_shortage(Shortage shortage) {
    switch (shortage) {
        case Shortage::share_others:
            report_others_used(slots_per_database(), true, is_preloaded());
        case Shortage::share:
            report_share_used(slots_per_database(), is_preloaded());
        case Shortage::server_others:
            report_others_used(settings.max_slots, false, is_preloaded());
        case Shortage::none:
        case Shortage::server:
            break;
    }
    report_all_slots_used(settings.max_slots, is_preloaded());
}

SharedReference find_known(SharedState *state, const SlotKey &key) noexcept {
    ReadGuard guard(state->lock);
    return directory_of(state).find(key);
}

// Looks under the lock where the number begins: the keeper says so before it looks at the slots that there
// are.
SharedReference obtain(SharedState *state, SharedDatabase &database, SlotRequest &request,
                       Shortage &shortage) noexcept {
    Guard<LightLock> guard(state->lock);
    if (request.key.packing.node_bits != 0) request.claimed_ms = claimed_ms(state->leases, request.key.shard);
    return directory_of(state).obtain(database, request, shortage);
}

}  // namespace

SharedReference find_slot(SharedState *state, SharedDatabase *database, const Layout &layout, uint32 shard,
                          int64 now_ms) {
    SlotKey key{key_of(layout), MyDatabaseId, shard};
    SharedReference slot = find_known(state, key);
    if (slot.entry != nullptr) return slot;
    // Where shards come from elsewhere, nothing but the node's own is drawn from.
    ShardRange asked{shard, shard};
    ShardSet own = settings.shards_from == ShardsFrom::list ? settings.shards : ShardSet{&asked, 1, 1};
    Claim claim = claim_of(own, static_cast<uint32>(settings.region), layout, shard);
    auto share = static_cast<uint32>(slots_per_database());
    SlotRequest request{key, layout, claim, share, now_ms, slot_idle_ms};
    for (bool retry = true;; retry = false) {
        Shortage shortage = Shortage::none;
        slot = obtain(state, *database, request, shortage);
        if (slot.entry != nullptr) return slot;
        if (!retry || !free_dropped_databases(state)) report_shortage(shortage);
    }
}

}  // namespace idgen::pg
