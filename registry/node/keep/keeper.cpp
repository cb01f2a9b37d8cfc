// The rounds of the keeper: which numbers this server wants, with what life each begins, and in which order they are
// looked at; and its end.
#include "registry/node/keep/keeper.hpp"

#include <algorithm>

#include "pg/host/server_identity.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

constexpr int64 retry_ms = 1000, idle_ms = 60000, shortest_sleep_ms = 20;
// A server that ends does not wait for long; but no window runs out meanwhile.
constexpr int64 last_answer_ms = 2000, longest_end_ms = 5000;
// With less time than this no number is given up: its answer would hardly come.
constexpr int64 least_answer_ms = 500;

// Of a lease that another process of this server has left: the number of the call that is on its way, else the one that
// is held.
int64 number_asked_for(const Lease &lease) noexcept {
    return is_waiting(lease) ? lease.pending.number : lease.number.load();
}

}  // namespace

Keeper::Keeper(const pg::LeaseGate &gate)
    : gate_(gate),
      leases_(gate.leases()),
      identity_(pg::server_identity(leases_.kept_machine)),
      registry_(gate),
      tickets_(registry_),
      record_(gate),
      numbers_(gate),
      older_(gate) {
    budget_.initialise();
}

int64 Keeper::work() {
    record_.begin_round();
    follow_machine();
    if (has_record()) want_left_numbers();
    follow_wishes();
    uint32 count = pg_atomic_read_u32(&leases_.count);
    if (count == 0 && !tickets_.has_work()) return has_record_ ? idle_ms : retry_ms;
    int64 pause_ms = std::clamp<int64>(gate_.rules().window_ms / 20, shortest_sleep_ms, retry_ms);
    has_extended_ = false;
    for (uint32 i = 0; i < count && has_record(); i++) begin_life_of(i);
    bool is_ready = load();
    bool is_well = run_all(count, is_ready);
    // Numbers of this server come first, between any two calls of counters: IDs wait for them.
    if (is_ready && !is_copied()) tickets_.work();
    registry_.end_round(tickets_.state(), numbers_.are_over(is_well));
    // As often as the registry is asked for more: idgen_lease.confirm_registry() may have made the page forget all, or
    // the owner of the sequence given it a new file.
    if (has_extended_) record_.restore();
    if (is_copied()) return 0;
    return is_ready ? tickets_.pause_ms(pause_ms) : pause_ms;
}

// Leaves all that is held if the machine was copied with its memory: each copy holds it. The keeper may have been another
// process before. What was granted is forgotten, too: the machine of before may lower it by a clean stop.
void Keeper::follow_machine() {
    uint64 machine = pg::machine();
    if (machine == leases_.kept_machine) return;
    gate_.note_copied_machine();
    has_left_ = true;
    if (registry_.is_own()) note_own_copy();
    registry_.close();
    identity_ = pg::server_identity(machine);
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++) leave_number(i);
    leases_.granted = {};
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
    // Last: a keeper that ends before leaves all of it again.
    leases_.kept_machine = machine;
}

// At once: a stop of the server ends the registry, too.
void Keeper::note_own_copy() {
    record_.page().is_copied = 1;
    has_left_ = !record_.write();
}

void Keeper::leave_number(uint32 index) {
    int64 life = random_secret();
    {
        Guard<pg::LightLock> guard(leases_.lock);
        leave(entry(index).lease, life);
    }
    save(index);
}

// Whether all is done. If the registry is down, the rest waits, and nothing is known of it. A row that is locked there
// takes a moment of waiting: the next round begins behind it, so that neither counters nor other numbers wait for many
// of them, and it is asked for again later.
bool Keeper::run_all(uint32 count, bool is_ready) {
    bool is_well = is_ready, is_away = !is_ready, is_held_up = false;
    uint32 begins_at = begins_at_;
    for (uint32 k = 0; k < count; k++) {
        uint32 i = (begins_at + k) % count;
        bool is_put_off = is_held_up || pg::monotonic_ms() < asks_at_ms_[i];
        is_well &= !is_put_off;
        if (is_put_off && !is_away) continue;
        Result result = is_away ? Result(Progress::away) : run_errands(i);
        is_away |= result.progress == Progress::away;
        is_well &= result.progress == Progress::done;
        is_held_up = result.is_locked;
        if (is_held_up) begins_at_ = i + 1;
        if (is_held_up && is_waiting(entry(i).lease)) put_off(i);
        numbers_.publish(i, result.obstacle);
    }
    return is_well;
}

// Reads the record, and makes it that of this server and this registry. False if either cannot be used now.
bool Keeper::load() {
    if (!registry_.is_ready(record_)) return false;
    LeasePage &page = record_.page();
    if (!(page.registry == registry_.identity()) || page.identity != identity_) {
        page.registry = registry_.identity();
        adopt(page, identity_);
        if (has_left_ && registry_.is_own()) page.is_copied = 1;
        // Best before the first claim, which writes it, too.
        if (record_.write()) has_left_ = false;
    } else {
        // It was made in this machine, and a crash has made the keeper begin in the one of before.
        has_left_ = false;
    }
    if (has_own_copy()) return false;
    if (is_loaded_) return true;
    // The keeper may have been another process before: its numbers are still in shared memory, but its records_ ended
    // with it. So each number that has not ended gets its record back from the page.
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++)
        for (uint32 row = 0; row < page.count; row++)
            if (page.rows[row].number == number_asked_for(entry(i).lease) && !has_ended(entry(i).lease) &&
                entry(i).purpose != LeaseFor::nothing)
                records_[i] = record_of(page, row);
    is_loaded_ = true;
    return true;
}

// Whether the registry is of this server and was copied with it: then each copy of the machine has one that gives the
// same numbers. A superuser says which goes on. The record tells, also after the next start.
bool Keeper::has_own_copy() {
    if (record_.page().is_copied == 0 || !registry_.is_own()) return false;
    registry_.note_trouble(
        "this machine was resumed from a snapshot of its memory with the registry in it: call idgen_lease.confirm_registry() on one machine only, and set idgen.registry of the others to that one's");
    registry_.doubt();
    return true;
}

void Keeper::follow_wishes() {
    if (is_ending_ || pg_atomic_read_u32(&leases_.is_pool_wanted) == 0) return;
    follow_count(static_cast<uint32>(gate_.settings().count));
}

// Fills the pool, or gives up what it has too many: the highest numbers. The lowest are those that a server takes
// first, and that the narrowest layouts have.
void Keeper::follow_count(uint32 count) {
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++) free_if_ended(i);
    if (!pg::fill_pool(leases_, count))
        registry_.note_trouble(
            psprintf("this server has no room for %u shards of its own beside those by hand: it holds %u at most",
                     count, pg::max_leases));
    while (pg::SharedLease *surplus = pg::find_surplus(leases_, count))
        end_issue_of(static_cast<uint32>(surplus - leases_.leases));
}

// Ends issue of a number. Sessions go on with what the pool has then.
void Keeper::end_issue_of(uint32 index) {
    {
        Guard<pg::LightLock> guard(leases_.lock);
        end_issue(entry(index).lease);
    }
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
}

// An entry of the pool that was given up is free for another number.
void Keeper::free_if_ended(uint32 index) {
    if (entry(index).purpose != LeaseFor::pool || !has_ended(entry(index).lease)) return;
    records_[index] = {};
    numbers_.clear(index);
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
    // One a round: when the entry that it gets goes on with it, it is left no more, and the next round finds another.
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

// Goes on with a number as the server that crashed left it. The registry need not be asked: no other server can have
// made IDs below R.
void Keeper::go_on(uint32 index, const pg::LeftLease &left) {
    Lease &lease = entry(index).lease;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        resume(lease, left.lease, left.reached_ms);
    }
    gate_.move_number(static_cast<uint32>(lease.number), lease.claimed_ms);
    {
        Guard<pg::LightLock> guard(leases_.lock);
        if (!is_copied()) reopen(lease);
    }
    records_[index] = {record_.page().registry, lease.number, lease.incarnation, 0, identity_};
    note_granted(leases_.granted, lease.number, lease.horizon_ms);
    save(index);
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
    if (budget_.spend(most_news)) log_number_resumed(lease.number, lease.claimed_ms);
}

void Keeper::save(uint32 index) noexcept {
    gate_.save(index, entry(index).purpose, self(), entry(index).lease);
}

// Giving a number up forgets it here before the registry answers. So one that there is no time for, or no registry, is
// not given up: the next server goes on with it at once, as after a crash.
void Keeper::end() {
    is_ending_ = true;
    record_.begin_round();
    follow_machine();
    // One on this server ends with it.
    if (registry_.is_own()) return;
    Deadline deadline = deadline_in(longest_end_ms);
    registry_.wait_up_to(last_answer_ms);
    if (registry_.is_there() && load()) {
        for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count) && left_ms(deadline) >= least_answer_ms; i++) {
            registry_.wait_up_to(Min(last_answer_ms, left_ms(deadline)));
            end_issue_of(i);
            if (run_errands(i).progress == Progress::away) break;
        }
        tickets_.end(deadline);
    }
    registry_.end_round({}, false);
}

LeaseRules Keeper::rules_of(uint32 index) noexcept {
    return rules_for(gate_.rules(), entry(index).purpose);
}

ClockReading Keeper::clock() noexcept {
    bool is_accepted;
    return gate_.clock(is_accepted);
}

}  // namespace idgen::lease
