#include "pg/monitor/survey.hpp"

#include "pg/horizon/durable_page.hpp"
#include "pg/horizon/origin.hpp"
#include "pg/horizon/stall.hpp"
#include "pg/host/release.hpp"
#include "pg/monitor/snapshot.hpp"
#include "pg/state/accepted_clock.hpp"
#include "pg/state/database_directory.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

void look_at_page(Oid schema, Survey &seen) {
    switch (peek_record(schema, Record::horizon, seen.record)) {
        case Peek::found:
            break;
        case Peek::locked:
            seen.page = PageState::locked;
            return;
        case Peek::missing:
            seen.page = PageState::missing;
            return;
        case Peek::unlogged:
            seen.page = PageState::unlogged;
            return;
        case Peek::newer:
            seen.page = PageState::newer;
            return;
    }
    bool is_in_bounds = is_horizon(seen.record.value);
    seen.page = is_in_bounds ? PageState::readable : PageState::out_of_bounds;
    if (is_in_bounds) seen.horizon_ms = seen.record.value;
    Owner owner = this_owner();
    int64 origin = seen.record.owner == 0 ? foreign_origin(schema) : 0;
    DurableRecord record = with_origin(seen.record, origin, owner);
    if (is_copy(record, owner)) seen.copied_from = record.owner;
}

void look_at_slots(SharedState *state, Survey &seen) {
    seen.ending = preset(0).layout;
    seen.end_ms = end_of_first_turn(seen.ending);
    SlotCopies slots = copy_slots(state);
    for (uint32 i = 0; i < slots.count; i++) {
        const SlotCopy &copy = slots.rows[i];
        Packing p = packing_of(copy.owner.layout);
        int64 lead_ms = start_of(p, copy.slot.tick) - seen.now_ms;
        if (copy.slot.sequence != no_sequence && lead_ms > seen.lead_ms) seen.lead_ms = lead_ms;
        if (p.wraps || end_of_first_turn(copy.owner.layout) >= seen.end_ms) continue;
        seen.ending = copy.owner.layout;
        seen.end_ms = end_of_first_turn(copy.owner.layout);
    }
    seen.has_shardless = find_shardless(state, seen.shardless);
    SlotUse use = count_slots(state);
    seen.slots = use.database.all;
    seen.slots_limit = static_cast<uint32>(slots_per_database());
    seen.server_slots = use.server.all;
    seen.server_slots_limit = state->max_slots;
    seen.others_used = use.database.other >= slots_for_others(seen.slots_limit) ||
                       use.server.other >= slots_for_others(seen.server_slots_limit);
}

void look_at_renewals(SharedState *state, Survey &seen) {
    SharedDatabase *database = find_database(state);
    if (database == nullptr) return;
    seen.renewals = pg_atomic_read_u64(&database->renewals);
    seen.renewed_ms = static_cast<int64>(pg_atomic_read_u64(&database->renewed_ms));
    seen.stall_ms = stall_ms(pg_atomic_read_u64(&database->stall));
}

void look_at_clock(SharedState *state, Survey &seen) noexcept {
    int64 accepted_ms = accepted_clock_ms(state, find_database(state), seen.record);
    seen.has_accepted_clock = accepted_ms != nothing_accepted;
    if (seen.has_accepted_clock) seen.clock_offset_ms = wall_minus_boot_ms() - accepted_ms;
    seen.steps_forward = pg_atomic_read_u64(&state->steps_forward);
    seen.steps_back = pg_atomic_read_u64(&state->steps_back);
}

}  // namespace

Survey survey(Oid schema) {
    Survey seen{};
    seen.in_recovery = RecoveryInProgress();
    seen.extension = extension_version();
    look_at_page(schema, seen);
    seen.kernel = kernel_clock();
    seen.has_standby_names = has_synchronous_standbys();
    seen.standbys = connected_standbys();
    seen.is_preloaded = is_preloaded();
    SharedState *state = find_shared_state();
    seen.is_loaded = state != nullptr;
    seen.now_ms = wall_ms();
    if (!seen.is_loaded) return seen;
    seen.lacks_standbys = lacks_standbys(state);
    look_at_slots(state, seen);
    look_at_renewals(state, seen);
    look_at_clock(state, seen);
    return seen;
}

}  // namespace idgen::pg
