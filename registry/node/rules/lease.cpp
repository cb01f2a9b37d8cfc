#include "registry/node/rules/lease.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {
namespace {

LeaseCall send(Lease &lease, const LeaseCall &call, const ClockReading &clock) noexcept {
    lease.pending = call;
    lease.sent_boot_ms = clock.now_ms - clock.difference_ms;
    return call;
}

// Allows no ID any more.
void close(Lease &lease) noexcept {
    lease.is_draining |= lease.cap_ms != 0;
    lease.cap_ms = 0;
}

// Holds no number any more.
void drop(Lease &lease) noexcept {
    close(lease);
    lease.incarnation = 0;
}

void note_granted(Lease &lease, std::int64_t horizon_ms) noexcept {
    lease.horizon_ms = horizon_ms;
    lease.granted_boot_ms = lease.sent_boot_ms;
}

LeaseNews take_in_claim(Lease &lease, LeaseRecord &record, const LeaseCall &call, const CallAnswer &answer,
                        std::int64_t latest_ms) noexcept {
    bool is_granted = answer.outcome == CallOutcome::granted;
    if (!is_granted || answer.horizon_ms > latest_ms) {
        record = no_number(record.registry, record.identity);
        if (!is_granted) return LeaseNews::missed;
        // Given up: no other server could claim it before its lease ends.
        lease.pending = {CallKind::stop, call.number,       call.proposed,    0,
                         call.life,      answer.horizon_ms, answer.horizon_ms};
        return LeaseNews::left;
    }
    record = accepted(record);
    lease.number = call.number;
    lease.incarnation = call.proposed;
    lease.claimed_ms = answer.horizon_ms;
    note_granted(lease, answer.horizon_ms);
    return LeaseNews::claimed;
}

LeaseNews take_in_extend(Lease &lease, const LeaseCall &call, const CallAnswer &answer) noexcept {
    switch (answer.outcome) {
        case CallOutcome::granted:
            note_granted(lease, call.to_ms);
            if (!lease.is_ending) lease.cap_ms = call.to_ms;
            return LeaseNews::extended;
        case CallOutcome::too_far:
            return LeaseNews::too_far;
        case CallOutcome::refused:
            break;
    }
    drop(lease);
    return LeaseNews::lost;
}

}  // namespace

void begin_life(Lease &lease, std::int64_t life) noexcept {
    lease.cap_ms = 0;
    lease.number = -1;
    lease.incarnation = 0;
    lease.life = life;
    lease.horizon_ms = 0;
    lease.claimed_ms = 0;
    lease.granted_boot_ms = 0;
    lease.sent_boot_ms = 0;
    lease.pending = LeaseCall{};
    lease.is_ending = lease.is_draining = false;
}

void leave(Lease &lease, std::int64_t life) noexcept {
    drop(lease);
    // leave_numbers() may have set the cap to 0 before, and then drop() sees no reason to drain.
    lease.is_draining = true;
    lease.life = life;
    lease.pending = LeaseCall{};
}

LeaseCall ask_claim(Lease &lease, const LeaseRecord &durable, const ClockReading &clock) noexcept {
    if (is_waiting(lease)) return lease.pending;
    IDGEN_REQUIRE(!is_held(lease) && !lease.is_draining && durable.proposed != 0);
    return send(lease, {CallKind::claim, durable.number, durable.accepted, durable.proposed, lease.life, 0, 0}, clock);
}

bool is_extension_due(const Lease &lease, const ClockReading &clock, const LeaseRules &rules) noexcept {
    if (!is_held(lease) || lease.is_ending) return false;
    std::int64_t age_ms = clock.now_ms - clock.difference_ms - lease.granted_boot_ms;
    bool is_lease_due = rules.ttl_ms != 0 && age_ms >= rules.ttl_ms / 3;
    bool is_closed = lease.cap_ms == 0;
    return is_closed || is_lease_due || lease.horizon_ms <= clock.now_ms + rules.window_ms / 2;
}

LeaseCall ask_extend(Lease &lease, const ClockReading &clock, const LeaseRules &rules) noexcept {
    if (is_waiting(lease)) return lease.pending;
    IDGEN_REQUIRE(is_held(lease) && !lease.is_ending);
    std::int64_t to_ms = std::max(lease.horizon_ms, clock.now_ms + rules.window_ms);
    return send(lease, {CallKind::extend, lease.number, lease.incarnation, 0, lease.life, lease.horizon_ms, to_ms},
                clock);
}

void end_issue(Lease &lease) noexcept {
    lease.is_ending = true;
    close(lease);
}

void note_drained(Lease &lease) noexcept {
    IDGEN_REQUIRE(lease.cap_ms == 0);
    lease.is_draining = false;
}

LeaseCall ask_stop(Lease &lease, std::int64_t used_ms, const ClockReading &clock) noexcept {
    if (is_waiting(lease)) return lease.pending;
    IDGEN_REQUIRE(lease.is_ending && !lease.is_draining);
    std::int64_t to_ms = std::max(std::min(used_ms, lease.horizon_ms), lease.claimed_ms.load());
    return send(lease, {CallKind::stop, lease.number, lease.incarnation, 0, lease.life, lease.horizon_ms, to_ms},
                clock);
}

SavedLease saved(const Lease &lease) noexcept {
    return {lease.number,       lease.is_ending ? 0 : lease.incarnation,
            lease.life,         lease.claimed_ms,
            lease.horizon_ms,   lease.granted_boot_ms,
            lease.sent_boot_ms, lease.pending};
}

void resume(Lease &lease, const SavedLease &saved, std::int64_t reached_ms) noexcept {
    begin_life(lease, saved.life);
    lease.number = saved.number;
    lease.incarnation = saved.incarnation;
    lease.claimed_ms = std::max(saved.claimed_ms, std::min(reached_ms, saved.horizon_ms));
    lease.horizon_ms = saved.horizon_ms;
    lease.granted_boot_ms = saved.granted_boot_ms;
    lease.sent_boot_ms = saved.sent_boot_ms;
    lease.pending = saved.pending;
}

void reopen(Lease &lease) noexcept {
    IDGEN_REQUIRE(is_held(lease) && !lease.is_ending);
    lease.cap_ms = lease.horizon_ms;
}

LeaseNews take_in(Lease &lease, LeaseRecord &record, const LeaseCall &call, const CallAnswer &answer,
                  const ClockReading &clock, const LeaseRules &rules) noexcept {
    if (!is_waiting(lease) || !(call == lease.pending)) return LeaseNews::none;
    lease.pending = LeaseCall{};
    switch (call.kind) {
        case CallKind::claim:
            return take_in_claim(lease, record, call, answer, clock.now_ms + rules.max_lead_ms);
        case CallKind::extend:
            return take_in_extend(lease, call, answer);
        case CallKind::stop:
            if (!is_held(lease)) return LeaseNews::none;  // it was left
            drop(lease);
            return LeaseNews::stopped;
        case CallKind::none:
            break;
    }
    return LeaseNews::none;
}

}  // namespace idgen
