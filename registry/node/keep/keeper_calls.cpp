// The errands of the keeper: what registry/node/rules asks for next, for one number, and the record that must be durable
// before a claim. And what it does with an answer of the registry.

#include "pg/report/words.hpp"
#include "registry/node/keep/keeper.hpp"
#include "registry/node/keep/watched_registry.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

// Numbers that are tried for one entry at once: others may be faster.
constexpr int tries_at_once = 64;

}  // namespace

// A number that is lost is replaced at once; one that is lost again, in the next round.
Keeper::Result Keeper::run_errands(uint32 index) {
    const Lease &lease = entry(index).lease;
    Result met(Progress::done);
    int losses = 0;
    for (int i = 0; i < tries_at_once && losses < 2; i++) {
        bool was_held = is_held(lease);
        // A number that was refused is not the only one that others want: the next is sought from anywhere.
        auto start = static_cast<uint64>(random_secret());
        if (i == 0) start %= Max(seeks_among_[index], 1);
        Result result = run(index, next_errand(lease, entry(index).purpose, clock(), rules_of(index)), start);
        if (result.obstacle != nullptr) met.obstacle = result.obstacle;
        met.is_locked |= result.is_locked;
        met.progress = result.progress;
        if (met.progress != Progress::again) return met;
        losses += was_held && !is_held(lease) ? 1 : 0;
    }
    met.progress = Progress::done;
    return met;
}

Keeper::Result Keeper::run(uint32 index, Errand errand, uint64 start) {
    switch (errand) {
        case Errand::none:
            return Progress::done;
        case Errand::repeat:
            return send(index, entry(index).lease.pending);
        case Errand::drain:
            return drain(index);
        case Errand::claim:
            return claim(index, entry(index).lease.number);
        case Errand::choose:
            return choose(index, start);
        case Errand::extend:
            return extend(index);
        case Errand::stop:
            return stop(index);
    }
    return Progress::done;
}

// Waits for the sessions that still have an older cap of a lease, by taking the lock of each slot.
Keeper::Result Keeper::drain(uint32 index) {
    gate_.reached_ms();
    Guard<pg::LightLock> guard(leases_.lock);
    note_drained(entry(index).lease);
    return Progress::again;
}

Keeper::Result Keeper::choose(uint32 index, uint64 start) {
    Registration registration{};
    const NumberRange &range = gate_.settings().range;
    if (!registry_.list(range, registration)) return unlisted();
    older_.look_at(registration, range);
    int64 now_ms = clock().now_ms;
    NumberChoice choice = choose_number(spare_numbers(index), list_with(registration, leases_.granted), range, start,
                                        now_ms, rules_of(index).max_lead_ms);
    if (choice.kind == ChoiceKind::claim) return claim(index, choice.number);
    return {Progress::stuck,
            choice.kind == ChoiceKind::none
                ? psprintf("all shards from %lld to %lld are held by others", static_cast<long long>(range.first),
                           static_cast<long long>(range.last))
                : psprintf("the first free shard, %lld, can be used from %s on", static_cast<long long>(choice.number),
                           pg::instant_text(now_ms + choice.wait_ms))};
}

Keeper::Result Keeper::claim(uint32 index, int64 number) {
    if (!propose_durably(index, number)) return Progress::stuck;
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
        remove_number(page, page.rows[row].number);
    }
}

Keeper::Result Keeper::extend(uint32 index) {
    bool is_accepted = false;
    ClockReading now = gate_.clock(is_accepted);
    if (!is_accepted)
        return {Progress::stuck, "the clock of this server has jumped forward; idgen.status() says how far"};
    Lease &lease = entry(index).lease;
    // Before the first extension, which may be another process's than the claim was.
    if (lease.cap_ms == 0) {
        auto number = static_cast<uint32>(lease.number);
        gate_.move_number(number, pg::claimed_ms(leases_, number));
    }
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
        if (leases_.leases[i].purpose != LeaseFor::nothing &&
            (leases_.leases[i].lease.number == number || (is_mine(records_[i]) && records_[i].number == number)))
            return true;
    return false;
}

// Neither asks for the number as its own again, now or after the next start.
void Keeper::disown(int64 number) {
    remove_number(record_.page(), number);
    record_.write();
}

Keeper::Result Keeper::send(uint32 index, const LeaseCall &sent) {
    LeaseCall call = sent;
    CallAnswer answer{};
    save(index);
    if (is_copied()) return Progress::away;
    if (!registry_.call(call, answer)) return registry_.limit() == nullptr ? Progress::away : give_way(index, call);
    LeaseNews news = LeaseNews::none;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        if (is_copied()) return Progress::away;
        news = take_in(entry(index).lease, records_[index], call, answer, clock(), rules_of(index));
        if (news == LeaseNews::claimed) begin_above(entry(index), answer.horizon_ms);
    }
    note_horizon(entry(index).lease, call, news);
    save(index);
    if (news == LeaseNews::too_far) return too_far(answer);
    return follow(index, call, news);
}

// The registry refuses this call and no other: its owner does not allow the number, its key is damaged, or another
// transaction there keeps its row. One that is the server's choice is left for another before its IDs end, as if it had
// been refused.
Keeper::Result Keeper::give_way(uint32 index, const LeaseCall &call) {
    Lease &lease = entry(index).lease;
    bool is_locked = registry_.is_locked();
    const char *obstacle = is_locked ? locked_by(call.number) : pstrdup(registry_.limit());
    if (!should_replace(lease, entry(index).purpose, clock(), rules_of(index)))
        return {Progress::stuck, obstacle, is_locked};
    LeaseNews news = LeaseNews::none;
    {
        Guard<pg::LightLock> guard(leases_.lock);
        news = take_in(lease, records_[index], call, {CallOutcome::refused, 0, 0, 0}, clock(), rules_of(index));
    }
    save(index);
    // Nor is it asked for again as the server's own.
    records_[index] = {};
    disown(call.number);
    if (news == LeaseNews::lost) {
        pg_atomic_fetch_add_u32(&leases_.changes, 1);
        if (budget_.spend(most_news)) log_number_left(obstacle);
    }
    if (call.kind == CallKind::claim) seek_elsewhere(index, is_locked);
    // The next one may be refused for the same reason.
    return {call.kind == CallKind::claim ? Progress::stuck : Progress::again, obstacle, is_locked};
}

// The smallest number that is free may be locked for long, and others with it: the search goes out from there. Above an
// owner's limit it begins again, and later: the limit lasts, and each claim writes to disk.
void Keeper::seek_elsewhere(uint32 index, bool is_locked) {
    constexpr uint64 factor = 16, most = 65536;
    seeks_among_[index] = is_locked ? Min(Max(seeks_among_[index], 1) * factor, most) : 1;
    if (!is_locked) put_off(index);
}

void Keeper::put_off(uint32 index) {
    asks_at_ms_[index] = pg::monotonic_ms() + gate_.rules().window_ms / 16;
}

// By palloc.
const char *Keeper::locked_by(int64 number) {
    const char *who = registry_.find_locker(nullptr, number);
    return psprintf("shard %lld is locked by %s", static_cast<long long>(number),
                    who == nullptr ? "another transaction there" : who);
}

Keeper::Result Keeper::unlisted() {
    if (!registry_.is_locked()) return Progress::away;
    return {Progress::stuck, "the list of shards is locked by another transaction at the registry", true};
}

Keeper::Result Keeper::follow(uint32 index, const LeaseCall &call, LeaseNews news) {
    Lease &lease = entry(index).lease;
    switch (news) {
        case LeaseNews::claimed:
            seeks_among_[index] = 1;
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            put_record(records_[index]);
            record_.write();
            if (budget_.spend(most_news)) log_number_claimed(call.number, pg::begin_of(entry(index)));
            look_back(call.number);
            return Progress::again;
        case LeaseNews::left:
        case LeaseNews::missed:
            disown(call.number);
            return entry(index).purpose == LeaseFor::number ? missed(call) : Result(Progress::again);
        case LeaseNews::lost:
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            if (budget_.spend(most_news)) log_number_lost(call.number);
            return Progress::again;
        case LeaseNews::too_far:
            break;
        case LeaseNews::stopped:
            pg_atomic_fetch_add_u32(&leases_.changes, 1);
            if (budget_.spend(most_news)) log_number_stopped(call.number, call.to_ms);
            break;
        case LeaseNews::extended:
            has_extended_ = true;
            return lease.is_ending ? Progress::again : Progress::done;
        case LeaseNews::none:
            break;
    }
    return Progress::done;
}

// The registry refuses a horizon that far ahead: the window is longer than it allows, or this clock is ahead.
Keeper::Result Keeper::too_far(const CallAnswer &answer) {
    int64 window_ms = gate_.rules().window_ms, ahead_ms = clock().now_ms - answer.now_ms;
    const char *limit = pg::duration_text(answer.max_ahead_ms);
    if (window_ms > answer.max_ahead_ms)
        return {
            Progress::stuck,
            psprintf(
                "idgen.lease_window, %s, is longer than the registry allows, %s: lower it, or have the owner of the registry raise max_ahead",
                pg::duration_text(window_ms), limit)};
    return {Progress::stuck,
            psprintf("the clock of this server is %s ahead of the registry's, which allows horizons up to %s ahead",
                     pg::duration_text(Max(ahead_ms, 0)), limit)};
}

// A number by hand that another server has: which one, as the registry knows.
Keeper::Result Keeper::missed(const LeaseCall &call) {
    Registration registration{};
    NumberRange range{call.number, call.number};
    if (!registry_.list(range, registration)) return unlisted();
    older_.look_at(registration, range);
    return {Progress::stuck, held_by(registration, call.number)};
}

// The IDs of a number begin above every horizon that this server was granted for it, also if the registry has
// forgotten that one.
void Keeper::begin_above(pg::SharedLease &claimed, int64 horizon_ms) {
    int64 granted = granted_ms(leases_.granted, claimed.lease.number);
    claimed.granted_before_ms = granted > horizon_ms ? granted : 0;
}

void Keeper::note_horizon(const Lease &lease, const LeaseCall &call, LeaseNews news) {
    if (news == LeaseNews::claimed) older_.look_at_claim(call.number, lease.horizon_ms);
    if (news == LeaseNews::claimed || news == LeaseNews::extended) {
        note_granted(leases_.granted, call.number, lease.horizon_ms);
        remember_granted(record_.page(), lease.horizon_ms);
    }
    if (news == LeaseNews::stopped) note_lowered(leases_.granted, call.number, call.to_ms);
}

// Whether a registry that knew too little was advanced since.
void Keeper::look_back(int64 number) {
    Registration registration{};
    NumberRange range{number, number};
    if (older_.is_published() && registry_.list(range, registration)) older_.look_at(registration, range);
}

}  // namespace idgen::lease
