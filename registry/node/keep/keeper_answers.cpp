// What the keeper does with an answer of the registry.
#include "registry/node/keep/keeper.hpp"

#include "pg/report/words.hpp"
#include "registry/node/keep/watched_registry.hpp"

namespace idgen::lease {

Keeper::Result Keeper::send(uint32 index, const LeaseCall &sent) {
    LeaseCall call = sent;
    CallAnswer answer{};
    save(index);
    if (is_copied()) return Progress::away;
    if (!registry_.call(call, answer)) {
        if (registry_.is_locked()) return leave_locked(index, call);
        if (registry_.limit() == nullptr) return Progress::away;
        return {Progress::stuck, pstrdup(registry_.limit())};
    }
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

// Another transaction at the registry keeps the row of a number: others are not held up by it. One that is the server's
// choice is left for another before its IDs end, as if it had been refused.
Keeper::Result Keeper::leave_locked(uint32 index, const LeaseCall &call) {
    Lease &lease = entry(index).lease;
    const char *who = registry_.find_locker(nullptr, call.number);
    const char *obstacle = psprintf("shard %lld is locked by %s", static_cast<long long>(call.number),
                                    who == nullptr ? "another transaction there" : who);
    if (!should_replace(lease, entry(index).purpose, clock(), rules_of(index)))
        return {Progress::stuck, obstacle, true};
    {
        Guard<pg::LightLock> guard(leases_.lock);
        take_in(lease, records_[index], call, {CallOutcome::refused, 0, 0, 0}, clock(), rules_of(index));
    }
    save(index);
    // Nor is it asked for again as the server's own.
    records_[index] = {};
    disown(call.number);
    pg_atomic_fetch_add_u32(&leases_.changes, 1);
    if (budget_.spend(most_news)) log_number_left(obstacle);
    // The next one may be locked, too.
    return {call.kind == CallKind::claim ? Progress::stuck : Progress::again, obstacle, true};
}

Keeper::Result Keeper::unlisted() {
    if (!registry_.is_locked()) return Progress::away;
    return {Progress::stuck, "the list of shards is locked by another transaction at the registry", true};
}

Keeper::Result Keeper::follow(uint32 index, const LeaseCall &call, LeaseNews news) {
    Lease &lease = entry(index).lease;
    switch (news) {
        case LeaseNews::claimed:
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
    if (news == LeaseNews::claimed || news == LeaseNews::extended)
        note_granted(leases_.granted, call.number, lease.horizon_ms);
    if (news == LeaseNews::stopped) note_lowered(leases_.granted, call.number, call.to_ms);
}

// Whether a registry that knew too little was advanced since.
void Keeper::look_back(int64 number) {
    Registration registration{};
    NumberRange range{number, number};
    if (older_.is_published() && registry_.list(range, registration)) older_.look_at(registration, range);
}

}  // namespace idgen::lease
