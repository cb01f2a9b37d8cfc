// The errands of the keeper: what core/lease asks for next, for one number.
#include "lease/keep/keeper.hpp"
#include "lease/keep/number_list.hpp"
#include "lease/keep/secret.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report_keeper.hpp"

namespace idgen::lease {
namespace {

// Numbers that are tried for one entry at once: others may be faster.
constexpr int tries_at_once = 64;

}  // namespace

// A number that is lost is replaced at once; one that is lost again, in the next round.
Keeper::Result Keeper::run_errands(uint32 index) {
    const Lease &lease = entry(index).lease;
    int losses = 0;
    for (int i = 0; i < tries_at_once && losses < 2; i++) {
        bool was_held = is_held(lease);
        Result result = run(index, next_errand(lease, entry(index).purpose, clock(), rules_of(index)));
        if (result != Result::again) return result;
        losses += was_held && !is_held(lease) ? 1 : 0;
    }
    return Result::done;
}

Keeper::Result Keeper::run(uint32 index, Errand errand) {
    switch (errand) {
        case Errand::none:
            return Result::done;
        case Errand::repeat:
            return send(index, entry(index).lease.pending);
        case Errand::claim:
            return claim(index, entry(index).lease.number);
        case Errand::choose:
            return choose(index);
        case Errand::extend:
            return extend(index);
        case Errand::stop:
            return stop(index);
    }
    return Result::done;
}

Keeper::Result Keeper::choose(uint32 index) {
    Registration registration{};
    if (!registry_.list(gate_.settings().range, registration)) return Result::away;
    int64 now_ms = clock().now_ms;
    NumberChoice choice = choose_number(spare_numbers(index), list_of(registration), gate_.settings().range,
                                        now_ms, rules_of(index).max_lead_ms);
    if (choice.kind == ChoiceKind::claim) return claim(index, choice.number);
    const NumberRange &range = gate_.settings().range;
    registry_.note_trouble(
        choice.kind == ChoiceKind::none
            ? psprintf("all numbers from %lld to %lld are held by others",
                       static_cast<long long>(range.first), static_cast<long long>(range.last))
            : psprintf("the first free number, %lld, can be used from %s on",
                       static_cast<long long>(choice.number), pg::instant_text(now_ms + choice.wait_ms)));
    return Result::stuck;
}

Keeper::Result Keeper::claim(uint32 index, int64 number) {
    if (!propose_durably(index, number)) return Result::stuck;
    Lease &lease = entry(index).lease;
    LeaseCall call{};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        call = ask_claim(lease, records_[index], clock());
    }
    return send(index, call);
}

// False if the record cannot be written: nothing is asked for then.
bool Keeper::propose_durably(uint32 index, int64 number) {
    LeaseRecord record = records_[index];
    LeasePage before = record_.page();
    bool is_known = is_mine(record) && record.number == number;
    for (uint32 row = 0; row < before.count && !is_known; row++)
        if (before.rows[row].number == number) record = record_of(before, row);
    LeaseRecord next = propose(record, registry_.identity(), identity_, number, random_secret());
    put_record(next);
    if (!record_.write()) {
        record_.page() = before;
        registry_.note_trouble(record_.obstacle());
        return false;
    }
    records_[index] = next;
    return true;
}

// Puts a record into the page, not yet durable. A full page forgets a number that no entry uses.
void Keeper::put_record(const LeaseRecord &record) {
    LeasePage &page = record_.page();
    page.registry = registry_.identity();
    adopt(page, identity_);
    while (!remember(page, record)) {
        uint32 row = 0;
        while (is_used(page.rows[row].number)) row++;
        idgen::forget(page, page.rows[row].number);
    }
}

Keeper::Result Keeper::extend(uint32 index) {
    bool is_accepted = false;
    ClockReading now = gate_.clock(is_accepted);
    if (!is_accepted) {
        registry_.note_trouble("the clock of this server has jumped forward; idgen_status() says how far");
        return Result::stuck;
    }
    Lease &lease = entry(index).lease;
    // Before the first extension, which may be another process's than the claim was.
    if (lease.cap_ms == 0) gate_.move_number(static_cast<uint32>(lease.number), lease.claimed_ms);
    LeaseCall call{};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        call = ask_extend(lease, now, rules_of(index));
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
    save(index);
    if (!registry_.call(call, answer)) return Result::away;
    LeaseNews news = LeaseNews::none;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        news = take_in(entry(index).lease, records_[index], call, answer, clock(), rules_of(index));
    }
    save(index);
    if (news == LeaseNews::too_far) return tell_too_far(answer);
    return follow(index, call, news);
}

Keeper::Result Keeper::follow(uint32 index, const LeaseCall &call, LeaseNews news) {
    Lease &lease = entry(index).lease;
    switch (news) {
        case LeaseNews::claimed:
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            put_record(records_[index]);
            record_.write();
            if (budget_.spend()) pg::log_number_claimed(call.number, lease.claimed_ms);
            return Result::again;
        case LeaseNews::left:
        case LeaseNews::missed:
            forget(call.number);
            return entry(index).purpose == LeaseFor::number ? tell_missed(call) : Result::again;
        case LeaseNews::lost:
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            if (budget_.spend()) pg::log_number_lost(call.number);
            return Result::again;
        case LeaseNews::too_far:
            break;
        case LeaseNews::stopped:
            pg::log_number_stopped(call.number, call.to_ms);
            break;
        case LeaseNews::extended:
            has_extended_ = true;
            return lease.is_ending ? Result::again : Result::done;
        case LeaseNews::none:
            break;
    }
    return Result::done;
}

// The registry refuses a horizon so far ahead: the window is longer than it allows, or this clock is ahead.
Keeper::Result Keeper::tell_too_far(const CallAnswer &answer) {
    int64 window_ms = gate_.rules().window_ms, ahead_ms = clock().now_ms - answer.now_ms;
    const char *limit = pg::seconds_text(answer.max_ahead_ms);
    if (window_ms > answer.max_ahead_ms)
        registry_.note_trouble(
            psprintf("idgen.lease_window, %s, is longer than the registry allows, %s: lower it, "
                     "or have the owner of the registry raise max_ahead",
                     pg::seconds_text(window_ms), limit));
    else
        registry_.note_trouble(
            psprintf("the clock of this server is %s ahead of the registry's, which allows "
                     "horizons up to %s ahead",
                     pg::seconds_text(Max(ahead_ms, 0)), limit));
    return Result::stuck;
}

// A number by hand that somebody else has: who, as the registry knows.
Keeper::Result Keeper::tell_missed(const LeaseCall &call) {
    Registration registration{};
    if (registry_.list({call.number, call.number}, registration))
        registry_.note_trouble(held_by(registration, call.number));
    return Result::stuck;
}

// The number of an entry as it was, and those of the time before that no entry has yet, the last one first.
OwnNumbers Keeper::spare_numbers(uint32 index) const {
    const LeasePage &page = record_.page();
    auto *records = static_cast<LeaseRecord *>(palloc((page.count + 1) * sizeof(LeaseRecord)));
    size_t count = 0;
    if (is_mine(records_[index])) records[count++] = records_[index];
    for (uint32 row = page.count; row-- > 0;)
        if (!is_used(page.rows[row].number)) records[count++] = record_of(page, row);
    return {records, count, identity_};
}

bool Keeper::is_mine(const LeaseRecord &record) const noexcept {
    return is_own(record, registry_.identity(), identity_);
}

bool Keeper::is_used(int64 number) const noexcept {
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases_.count); i++)
        if (leases_.leases[i].lease.number == number ||
            (is_mine(records_[i]) && records_[i].number == number))
            return true;
    return false;
}

// Neither asks for the number as its own again, now or after the next start.
void Keeper::forget(int64 number) {
    idgen::forget(record_.page(), number);
    record_.write();
}

}  // namespace idgen::lease
