#include "pg/draw/keep.hpp"

#include "pg/report/report_lease.hpp"
#include "pg/state/keeper_state.hpp"
#include "pg/state/lease_reader.hpp"
#include "pg/state/lease_settings.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// How long a session sleeps between looks.
constexpr int64 number_poll_us = 1000;

LeaseTrouble trouble_of(const RegistryState &registry, uint32 failed_starts) noexcept {
    switch (keeper_state(registry.keeper_pid, failed_starts)) {
        case KeeperState::none:
            return LeaseTrouble::no_keeper;
        case KeeperState::starting:
            return LeaseTrouble::keeper_starting;
        case KeeperState::failing:
            return LeaseTrouble::keeper_failing;
        case KeeperState::locked:
            return LeaseTrouble::keeper_locked;
        case KeeperState::runs:
            break;
    }
    if (registry.trouble[0] != '\0') return LeaseTrouble::said;
    if (registry.answered_ms != 0) return LeaseTrouble::waiting;
    return registry.silent_since_ms == 0 ? LeaseTrouble::asking : LeaseTrouble::unanswered;
}

NotHeld not_held(LeaseTrouble trouble) noexcept {
    return {trouble, "", lease_settings.database, 0, 0, 0};
}

// The keeper's sentence lies in `registry`.
NotHeld why_not(int64 waited_ms, RegistryState &registry) {
    SharedLeases &leases = self.state->leases;
    if (!has_registry()) return not_held(LeaseTrouble::no_registry);
    {
        ReadGuard guard(leases.lock);
        registry = leases.registry;
    }
    hide_address(registry);
    LeaseTrouble trouble = trouble_of(registry, pg_atomic_read_u32(&leases.failed_starts));
    return {trouble,  registry.trouble, lease_settings.database, registry.keeper_pid, registry.answered_ms,
            waited_ms};
}

[[noreturn]] void report_not_held(const Source &source, const NotHeld &why) {
    if (source.follows_pool) report_pool_not_held(why);
    report_number_not_held(source.shard, why);
}

}  // namespace

void wait_for_number(Source &source, Wait &wait) {
    SharedLeases &leases = self.state->leases;
    if (!has_registry()) report_not_held(source, not_held(LeaseTrouble::no_registry));
    if (source.follows_pool)
        want_pool(leases);
    else if (!want_number(leases, source.shard))
        report_not_held(source, not_held(LeaseTrouble::no_room));
    if (waited_ms(wait) >= settings.max_wait_ms) {
        RegistryState registry;
        report_not_held(source, why_not(waited_ms(wait), registry));
    }
    sleep_in(wait, number_poll_us);
    follow_pool(source);
    source.slot.entry = nullptr;
}

}  // namespace idgen::pg
