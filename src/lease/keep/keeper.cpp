#include "lease/keep/keeper.hpp"

#include <algorithm>

#include "lease/keep/secret.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/report/report_keeper.hpp"

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
    : gate_(gate),
      leases_(gate.leases()),
      identity_(pg::server_identity()),
      registry_(gate),
      record_(gate),
      numbers_(gate),
      older_(gate) {}

int64 Keeper::work() {
    record_.begin_round();
    if (has_record()) want_left_numbers();
    follow_wishes();
    uint32 count = pg_atomic_read_u32(&leases_.count);
    if (count == 0) return has_record_ ? idle_ms : retry_ms;
    int64 pause_ms = std::clamp<int64>(gate_.rules().window_ms / 20, shortest_sleep_ms, retry_ms);
    has_extended_ = false;
    for (uint32 i = 0; i < count && has_record(); i++) begin_life_of(i);
    bool is_well = run_all(count, load());
    registry_.end_round(is_well, numbers_.are_over(is_well));
    // As often as the registry is asked for more: idgen_lease.confirm_registry() may have made the page
    // forget all, or the owner of the sequence given it a new file.
    if (has_extended_) record_.restore();
    return pause_ms;
}

// Whether all is done. Where the registry is away, the rest waits, and nothing is known of it.
bool Keeper::run_all(uint32 count, bool is_ready) {
    bool is_well = is_ready, is_away = !is_ready;
    for (uint32 i = 0; i < count; i++) {
        in_the_way_ = nullptr;
        Result result = is_away ? Result::away : run_errands(i);
        is_away |= result == Result::away;
        is_well &= result == Result::done;
        numbers_.tell(i, in_the_way_);
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
            if (page.rows[row].number == number_asked_for(entry(i).lease) && !has_ended(entry(i).lease) &&
                entry(i).purpose != LeaseFor::nothing)
                records_[i] = record_of(page, row);
    is_loaded_ = true;
    return true;
}

void Keeper::follow_wishes() {
    if (is_ending_ || pg_atomic_read_u32(&leases_.is_pool_wanted) == 0) return;
    follow_count(static_cast<uint32>(gate_.settings().count));
}

// Fills the pool, or gives up what it has too many: the highest numbers. The lowest are those that a server
// takes first, and that the narrowest layouts have.
void Keeper::follow_count(uint32 count) {
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++) free_if_ended(i);
    if (!pg::fill_pool(leases_, count))
        registry_.note_trouble(
            psprintf("this server has no room for %u numbers of its own beside those by "
                     "hand: it holds %u at most",
                     count, pg::max_leases));
    while (pg::SharedLease *surplus = pg::find_surplus(leases_, count))
        end_issue_of(static_cast<uint32>(surplus - leases_.leases));
}

// Nothing is issued any more when it returns: who read an older cap is done. Sessions go on with what the
// pool has then.
void Keeper::end_issue_of(uint32 index) {
    {
        Guard<pg::LightLock> guard(leases_.lock);
        end_issue(entry(index).lease);
    }
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
    gate_.move_number(static_cast<uint32>(entry(index).lease.number), 0);
}

// An entry of the pool that was given up is free for another number.
void Keeper::free_if_ended(uint32 index) {
    if (entry(index).purpose != LeaseFor::pool || !has_ended(entry(index).lease)) return;
    records_[index] = {};
    numbers_.forget(index);
    Guard<pg::LightLock> guard(leases_.lock);
    entry(index).purpose = LeaseFor::nothing;
}

// Whether the record was read, which names the registry of numbers that a crash has left.
bool Keeper::has_record() {
    if (!has_record_) has_record_ = record_.read();
    return has_record_;
}

pg::LeaseKeeper Keeper::self() const noexcept {
    return {record_.page().registry, identity_};
}

// Numbers by hand are held again even if no session asks for them: a clean end gives them up.
void Keeper::want_left_numbers() {
    constexpr NumberRange all{0, PG_INT32_MAX};
    pg::LeftLease left;
    if (gate_.find_left(LeaseFor::number, all, self(), left))
        pg::want_number(leases_, static_cast<uint32>(left.lease.number));
}

// Gives a life to an entry that has none, or whose last one has ended: that of before a crash, or a new one.
void Keeper::begin_life_of(uint32 index) {
    pg::SharedLease &begun = entry(index);
    if (begun.purpose == LeaseFor::nothing || (begun.lease.life != 0 && !has_ended(begun.lease))) return;
    bool is_by_hand = begun.purpose == LeaseFor::number;
    int64 number = begun.lease.number, claimed_ms = begun.lease.claimed_ms;
    pg::LeftLease left;
    if (gate_.find_left(begun.purpose, is_by_hand ? NumberRange{number, number} : gate_.settings().range, self(), left))
        return go_on(index, left);
    int64 life = random_secret();
    Guard<pg::LightLock> guard(leases_.lock);
    begin_life(begun.lease, life);
    begun.lease.number = number;
    begun.lease.claimed_ms = claimed_ms;
}

// Goes on with a number as the server that crashed left it. The registry need not be asked: nobody else can
// have made IDs below R.
void Keeper::go_on(uint32 index, const pg::LeftLease &left) {
    Lease &lease = entry(index).lease;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        resume(lease, left.lease, left.reached_ms);
    }
    gate_.move_number(static_cast<uint32>(lease.number), lease.claimed_ms);
    {
        Guard<pg::LightLock> guard(leases_.lock);
        reopen(lease);
    }
    records_[index] = {record_.page().registry, lease.number, lease.incarnation, 0, identity_};
    note_granted(leases_.granted, lease.number, lease.horizon_ms);
    save(index);
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
    if (budget_.spend()) pg::log_number_resumed(lease.number, lease.claimed_ms);
}

void Keeper::save(uint32 index) noexcept {
    gate_.save(index, entry(index).purpose, self(), entry(index).lease);
}

void Keeper::end() {
    is_ending_ = true;
    uint32 count = pg_atomic_read_u32(&leases_.count);
    for (uint32 i = 0; i < count; i++) end_issue_of(i);
    record_.begin_round();
    registry_.limit_calls(last_answer_ms);
    run_all(count, load());
    registry_.end_round(false, false);
}

LeaseRules Keeper::rules_of(uint32 index) noexcept {
    return rules_for(gate_.rules(), entry(index).purpose);
}

ClockReading Keeper::clock() noexcept {
    bool is_accepted;
    return gate_.clock(is_accepted);
}

}  // namespace idgen::lease
