#include "pg/monitor/lease_survey.hpp"

#include <algorithm>

#include "pg/state/lease_reader.hpp"
#include "pg/state/lease_settings.hpp"

namespace idgen::pg {
namespace {

bool is_below(const WantedNumber &a, const WantedNumber &b) noexcept {
    return a.number < b.number;
}

// What a number of the pool is, is known once the registry has chosen it.
bool is_known(const SharedLease &entry) noexcept {
    return entry.purpose == LeaseFor::number || (entry.purpose == LeaseFor::pool && is_held(entry.lease));
}

// Copies the numbers that are wanted, up to max_leases; gives how many.
uint32 copy_numbers(SharedLeases &leases, WantedNumber *numbers, RegistryState &registry) noexcept {
    uint32 count = 0;
    ReadGuard guard(leases.lock);
    registry = leases.registry;
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases.count); i++) {
        const SharedLease &entry = leases.leases[i];
        const Lease &lease = entry.lease;
        if (is_known(entry))
            numbers[count++] = {lease.number, lease.horizon_ms, is_held(lease),
                                entry.purpose == LeaseFor::number};
    }
    return count;
}

void count_number(LeaseSurvey &survey, const WantedNumber &number) noexcept {
    if (!number.is_held) return;
    survey.nearest_ms = survey.held == 0 ? number.horizon_ms : std::min(survey.nearest_ms, number.horizon_ms);
    survey.held++;
    if (!number.is_by_hand) survey.pool_held++;
}

}  // namespace

LeaseSurvey survey_leases(SharedState *state) {
    LeaseSurvey survey{};
    survey.has_registry = state != nullptr && has_registry();
    if (!survey.has_registry) return survey;
    survey.window_ms = lease_rules().window_ms;
    survey.is_pool_wanted = pg_atomic_read_u32(&state->leases.is_pool_wanted) != 0;
    survey.numbers = static_cast<WantedNumber *>(palloc(max_leases * sizeof(WantedNumber)));
    survey.count = copy_numbers(state->leases, survey.numbers, survey.registry);
    hide_address(survey.registry);
    survey.keeper =
        keeper_state(survey.registry.keeper_pid, pg_atomic_read_u32(&state->leases.failed_starts));
    std::sort(survey.numbers, survey.numbers + survey.count, is_below);
    for (uint32 i = 0; i < survey.count; i++) count_number(survey, survey.numbers[i]);
    return survey;
}

}  // namespace idgen::pg
