#include "lease/keep/keeper.hpp"

#include <algorithm>

#include "lease/keep/secret.hpp"
#include "pg/host/server_identity.hpp"

namespace idgen::lease {
namespace {

constexpr int64 retry_ms = 1000, idle_ms = 60000, shortest_sleep_ms = 20;
// A server that ends does not wait for long; but no window runs out meanwhile.
constexpr int64 last_answer_ms = 2000;

// Of a lease that another process of this server has left: the number of the call that is on its way, else
// the one that is held.
int64 number_asked_for(const Lease &lease) noexcept {
    return is_waiting(lease) ? lease.pending.number : lease.number.load();
}

}  // namespace

Keeper::Keeper(const pg::LeaseGate &gate)
    : gate_(gate), leases_(gate.leases()), identity_(pg::server_identity()), registry_(gate), record_(gate) {}

int64 Keeper::work() {
    follow_wishes();
    uint32 count = pg_atomic_read_u32(&leases_.count);
    if (count == 0) return idle_ms;
    int64 pause_ms = std::clamp<int64>(gate_.rules().window_ms / 20, shortest_sleep_ms, retry_ms);
    record_.begin_round();
    has_extended_ = false;
    registry_.end_round(load() && run_all(count));
    // As often as the registry is asked for more: idgen_confirm_registry() may have made the page forget all,
    // or the owner of the sequence given it a new file.
    if (has_extended_) record_.restore();
    return pause_ms;
}

// Whether all is done; where the registry is away, the rest waits.
bool Keeper::run_all(uint32 count) {
    bool is_well = true, is_away = false;
    for (uint32 i = 0; i < count && !is_away; i++) {
        Result result = run_errands(i);
        is_away = result == Result::away;
        is_well &= result == Result::done;
    }
    return is_well;
}

// Reads the record. Once, takes from it what is known of the numbers that this process finds held.
bool Keeper::load() {
    if (!registry_.is_ready(record_)) return false;
    LeasePage &page = record_.page();
    if (!(page.registry == registry_.identity()) || page.identity != identity_) {
        page.registry = registry_.identity();
        adopt(page, identity_);
        // Best before the first claim, which writes it, too.
        record_.write();
    }
    if (is_loaded_) return true;
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++)
        for (uint32 row = 0; row < page.count; row++)
            if (page.rows[row].number == number_asked_for(entry(i).lease) && !has_ended(entry(i).lease))
                records_[i] = record_of(page, row);
    is_loaded_ = true;
    return true;
}

void Keeper::follow_wishes() {
    if (is_ending_) return;
    if (pg_atomic_read_u32(&leases_.is_pool_wanted) != 0)
        pg::fill_pool(leases_, static_cast<uint32>(gate_.settings().count));
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++) begin_life_of(entry(i));
}

// Gives a life to an entry that has none, or whose last one has ended.
void Keeper::begin_life_of(pg::SharedLease &entry) {
    if (entry.lease.life != 0 && !has_ended(entry.lease)) return;
    int64 life = random_secret();
    Guard<pg::LightLock> guard(leases_.lock);
    int64 number = entry.lease.number, claimed_ms = entry.lease.claimed_ms;
    begin_life(entry.lease, life);
    entry.lease.number = number;
    entry.lease.claimed_ms = claimed_ms;
}

void Keeper::end() {
    is_ending_ = true;
    uint32 count = pg_atomic_read_u32(&leases_.count);
    for (uint32 i = 0; i < count; i++) {
        {
            Guard<pg::LightLock> guard(leases_.lock);
            end_issue(entry(i).lease);
        }
        gate_.move_number(static_cast<uint32>(entry(i).lease.number), 0);
    }
    if (!is_loaded_) return;
    record_.begin_round();
    registry_.limit_calls(last_answer_ms);
    run_all(count);
    registry_.end_round(false);
}

LeaseRules Keeper::rules_of(uint32 index) noexcept {
    return rules_for(gate_.rules(), entry(index).purpose);
}

ClockReading Keeper::clock() noexcept {
    bool is_accepted;
    return gate_.clock(is_accepted);
}

}  // namespace idgen::lease
