#include "pg/draw/keep.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/report_lease.hpp"
#include "pg/state/lease_gate.hpp"
#include "pg/state/leases.hpp"
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
    return {trouble, "", lease_settings.database, 0, 0, 0, 0};
}

// What is said of the number itself comes before what is said of all.
LeaseTrouble trouble_of(const NumberState &number, LeaseTrouble of_all) {
    if (of_all <= LeaseTrouble::keeper_locked) return of_all;
    if (number.trouble[0] != '\0') return LeaseTrouble::said;
    bool is_later = of_all == LeaseTrouble::waiting && number.begins_ms > wall_ms();
    return is_later ? LeaseTrouble::begins : of_all;
}

// What a keeper said, for as long as it takes to tell it.
struct Said {
    RegistryState registry;
    NumberState number;
};

NotHeld why_not(const Source &source, int64 waited_ms, Said &said) {
    SharedLeases &leases = self.state->leases;
    said.registry = registry_for_reader(leases);
    said.number = source.follows_pool ? look_at_pool(leases) : look_at_number(leases, source.shard);
    const RegistryState &registry = said.registry;
    LeaseTrouble of_all = trouble_of(registry, pg_atomic_read_u32(&leases.failed_starts));
    bool is_of_number = said.number.trouble[0] != '\0';
    return {trouble_of(said.number, of_all),
            is_of_number ? said.number.trouble : registry.trouble,
            lease_settings.database,
            registry.keeper_pid,
            registry.answered_ms,
            said.number.begins_ms,
            waited_ms};
}

[[noreturn]] void report_not_held(const Source &source, const NotHeld &why) {
    if (source.follows_pool) report_pool_not_held(why);
    report_number_not_held(source.shard, why);
}

// Has the keeper get what the source draws from. Where the registry chooses the numbers, a shard that was
// named is one of those, or an error: the server does not ask for it.
void want(const Source &source) {
    SharedLeases &leases = self.state->leases;
    if (source.follows_pool) return want_pool(leases);
    if (settings.shards_from == ShardsFrom::lease) return require_shard(source);
    if (!want_number(leases, source.shard)) report_too_many_numbers(source.shard, max_leases);
}

}  // namespace

void wait_for_number(Source &source, Wait &wait) {
    if (!has_registry()) report_not_held(source, not_held(LeaseTrouble::no_registry));
    // Other numbers may have come in the place of one that is gone.
    if (follow_pool(source)) return;
    want(source);
    if (waited_ms(wait) >= settings.max_wait_ms) {
        Said said;
        report_not_held(source, why_not(source, waited_ms(wait), said));
    }
    sleep_in(wait, number_poll_us);
    follow_pool(source);
    source.slot.entry = nullptr;
}

}  // namespace idgen::pg
