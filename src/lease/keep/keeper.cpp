#include "lease/keep/keeper.hpp"

#include <algorithm>

#include "core/durable/durable_record.hpp"
#include "lease/keep/number_list.hpp"
#include "pg/host/entropy.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report_keeper.hpp"

namespace idgen::lease {
namespace {

constexpr int64 retry_ms = 1000, idle_ms = 60000, shortest_sleep_ms = 20;
// Numbers that are tried for one entry at once: others may be faster.
constexpr int tries_at_once = 64;

int64 random_number() {
    int64 number = 0;
    while (number == 0) pg::fill_random(&number, sizeof(number));
    return number;
}

}  // namespace

Keeper::Keeper(const pg::LeaseGate &gate)
    : gate_(gate),
      leases_(gate.leases()),
      registry_(gate),
      identity_(identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier())) {}

int64 Keeper::work() {
    follow_wishes();
    uint32 count = pg_atomic_read_u32(&leases_.count);
    if (count == 0) return idle_ms;
    int64 pause_ms = std::clamp<int64>(gate_.rules().window_ms / 20, shortest_sleep_ms, retry_ms);
    if (!load()) return pause_ms;
    bool is_well = true, is_away = false;
    for (uint32 i = 0; i < count && !is_away; i++) {
        Result result = run_errands(i);
        is_away = result == Result::away;
        is_well &= result == Result::done;
    }
    if (is_well) registry_.tell_well();
    return pause_ms;
}

// The record, once, and what it says of the numbers that this process finds held.
bool Keeper::load() {
    if (!registry_.is_ready(table_)) return false;
    if (is_loaded_) return true;
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++)
        for (uint32 row = 0; row < table_.count; row++)
            if (table_.rows[row].number == entry(i).lease.number && !has_ended(entry(i).lease))
                records_[i] = table_.rows[row];
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
    int64 life = random_number();
    Guard<pg::LightLock> guard(leases_.lock);
    int64 number = entry.lease.number, taken_ms = entry.lease.taken_ms;
    begin_life(entry.lease, life);
    entry.lease.number = number;
    entry.lease.taken_ms = taken_ms;
}

Keeper::Result Keeper::run_errands(uint32 index) {
    for (int i = 0; i < tries_at_once; i++) {
        Errand errand = next_errand(entry(index).lease, entry(index).purpose, clock(), rules_of(index));
        Result result = run(index, errand);
        if (result != Result::again) return result;
    }
    return Result::done;
}

Keeper::Result Keeper::run(uint32 index, Errand errand) {
    switch (errand) {
        case Errand::none:
            return Result::done;
        case Errand::repeat:
            return send(index, entry(index).lease.pending);
        case Errand::take:
            return take(index, entry(index).lease.number);
        case Errand::choose:
            return choose(index);
        case Errand::raise:
            return raise(index);
        case Errand::stop:
            return stop(index);
    }
    return Result::done;
}

Keeper::Result Keeper::choose(uint32 index) {
    Registration registration{};
    if (!registry_.list(registration)) return Result::away;
    const LeaseRecord *own = spare_record(index);
    LeaseRecord record = own != nullptr ? *own : no_number(registry_.identity(), identity_);
    NumberChoice choice = choose_number(record, identity_, list_of(registration), gate_.settings().range,
                                        clock().now_ms, rules_of(index).max_lead_ms);
    if (choice.kind == ChoiceKind::take) return take(index, choice.number);
    const NumberRange &range = gate_.settings().range;
    registry_.tell_trouble(
        choice.kind == ChoiceKind::none
            ? psprintf("all numbers from %lld to %lld are held by others",
                       static_cast<long long>(range.first), static_cast<long long>(range.last))
            : psprintf("the free number that begins first, %lld, begins in %s",
                       static_cast<long long>(choice.number), pg::seconds_text(choice.wait_ms)));
    return Result::stuck;
}

Keeper::Result Keeper::take(uint32 index, int64 number) {
    propose_durably(index, number);
    Lease &lease = entry(index).lease;
    LeaseCall call{};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        call = ask_take(lease, records_[index], clock());
    }
    return send(index, call);
}

void Keeper::propose_durably(uint32 index, int64 number) {
    LeaseRecord &record = records_[index];
    for (uint32 row = 0; row < table_.count; row++)
        if (table_.rows[row].number == number && record.number != number) record = table_.rows[row];
    LeaseRecord next = propose(record, registry_.identity(), identity_, number, random_number());
    write_record(next);
    record = next;
}

Keeper::Result Keeper::raise(uint32 index) {
    bool is_accepted = false;
    ClockReading now = gate_.clock(is_accepted);
    if (!is_accepted) {
        registry_.tell_trouble("the clock of this server has jumped forward; idgen_status() says how far");
        return Result::stuck;
    }
    LeaseCall call{};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        call = ask_raise(entry(index).lease, now, rules_of(index));
    }
    return send(index, call);
}

Keeper::Result Keeper::stop(uint32 index) {
    int64 reached_ms = gate_.reached_ms();
    LeaseCall call{};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        call = ask_stop(entry(index).lease, reached_ms, clock());
    }
    return send(index, call);
}

Keeper::Result Keeper::send(uint32 index, const LeaseCall &sent) {
    LeaseCall call = sent;
    CallAnswer answer{};
    if (!registry_.call(call, answer)) return Result::away;
    LeaseNews news = LeaseNews::none;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        news = take_in(entry(index).lease, records_[index], call, answer, clock(), rules_of(index));
    }
    return follow(index, call, news);
}

Keeper::Result Keeper::follow(uint32 index, const LeaseCall &call, LeaseNews news) {
    Lease &lease = entry(index).lease;
    switch (news) {
        case LeaseNews::taken:
            gate_.move_number(static_cast<uint32>(call.number), lease.taken_ms);
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            write_record(records_[index]);
            pg::log_number_taken(call.number, lease.taken_ms);
            return Result::again;
        case LeaseNews::left:
        case LeaseNews::missed:
            forget_record(call.number);
            return entry(index).purpose == LeaseFor::number ? tell_missed(call) : Result::again;
        case LeaseNews::lost:
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            pg::log_number_lost(call.number);
            return Result::again;
        case LeaseNews::too_far:
            registry_.tell_trouble("the registry finds the clock of this server too far ahead of its own");
            return Result::stuck;
        case LeaseNews::stopped:
            pg::log_number_stopped(call.number, call.to_ms);
            break;
        case LeaseNews::raised:
            return lease.is_ending ? Result::again : Result::done;
        case LeaseNews::none:
            break;
    }
    return Result::done;
}

// A number by hand that somebody else has: who, as the registry knows.
Keeper::Result Keeper::tell_missed(const LeaseCall &call) {
    Registration registration{};
    if (registry_.list(registration)) registry_.tell_trouble(held_by(registration, call.number));
    return Result::stuck;
}

// A row of the time before, for a number of the pool that no entry has yet.
const LeaseRecord *Keeper::spare_record(uint32 index) const {
    if (is_own(records_[index], registry_.identity(), identity_)) return &records_[index];
    for (uint32 row = 0; row < table_.count; row++)
        if (table_.rows[row].number != no_number_row && !is_used(table_.rows[row].number))
            return &table_.rows[row];
    return nullptr;
}

bool Keeper::is_used(int64 number) const noexcept {
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++)
        if (leases_.leases[i].lease.number == number || records_[i].number == number) return true;
    return false;
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
    for (uint32 i = 0; i < count; i++)
        if (run_errands(i) == Result::away) return;
}

LeaseRules Keeper::rules_of(uint32 index) noexcept {
    return rules_for(gate_.rules(), entry(index).purpose);
}

ClockReading Keeper::clock() noexcept {
    bool is_accepted;
    return gate_.clock(is_accepted);
}

}  // namespace idgen::lease
