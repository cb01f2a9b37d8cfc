#include "pg/draw/keep.hpp"

#include "pg/report/report_lease.hpp"
#include "pg/state/lease_settings.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// How long a session sleeps between looks.
constexpr int64 number_poll_us = 1000;

// The keeper's sentence lies in `sentence`.
NotHeld why_not(int64 waited_ms, char (&sentence)[256]) {
    SharedLeases &leases = self.state->leases;
    ReadGuard guard(leases.lock);
    memcpy(sentence, leases.registry.trouble, sizeof(sentence));
    LeaseTrouble trouble = leases.registry.keeper_pid == 0 ? LeaseTrouble::no_keeper : LeaseTrouble::waiting;
    return {has_registry() ? trouble : LeaseTrouble::no_registry, sentence, waited_ms};
}

[[noreturn]] void report_not_held(const Source &source, const NotHeld &why) {
    if (source.follows_pool) report_pool_not_held(why);
    report_number_not_held(source.shard, why);
}

}  // namespace

void wait_for_number(Source &source, Wait &wait) {
    SharedLeases &leases = self.state->leases;
    char sentence[256] = "";
    if (!has_registry()) report_not_held(source, {LeaseTrouble::no_registry, sentence, 0});
    if (source.follows_pool)
        want_pool(leases);
    else if (!want_number(leases, source.shard))
        report_not_held(source, {LeaseTrouble::no_room, sentence, 0});
    if (waited_ms(wait) >= settings.max_wait_ms) report_not_held(source, why_not(waited_ms(wait), sentence));
    sleep_in(wait, number_poll_us);
    follow_pool(source);
    source.slot.entry = nullptr;
}

}  // namespace idgen::pg
