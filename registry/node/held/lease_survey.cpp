#include "registry/node/held/lease_survey.hpp"

#include <algorithm>

#include "registry/node/held/lease_gate.hpp"

namespace idgen::pg {

namespace {

bool is_below(const WantedNumber &a, const WantedNumber &b) noexcept {
    return a.number < b.number;
}

// What a number of the pool is, is known once the registry has chosen it. One that is given up is none.
bool is_known(const SharedLease &entry) noexcept {
    bool is_chosen = entry.purpose == LeaseFor::pool && is_held(entry.lease) && !entry.lease.is_ending;
    return entry.purpose == LeaseFor::number || is_chosen;
}

WantedNumber copy_of(const SharedLease &entry) noexcept {
    const Lease &lease = entry.lease;
    WantedNumber number{
        lease.number, lease.horizon_ms, is_held(lease), entry.purpose == LeaseFor::number, begin_of(entry), ""};
    strlcpy(number.trouble, entry.trouble, sizeof(number.trouble));
    return number;
}

// Copies the numbers that are wanted, up to max_leases.
void copy_numbers(SharedLeases &leases, LeaseSurvey &survey) noexcept {
    Guard<LightLock> guard(leases.lock);
    for (uint32 i = 0; i < pg_atomic_read_u32(&leases.count); i++) {
        const SharedLease &entry = leases.leases[i];
        if (is_known(entry))
            survey.numbers[survey.count++] = copy_of(entry);
        else if (survey.pool_trouble[0] == '\0')
            strlcpy(survey.pool_trouble, entry.trouble, sizeof(survey.pool_trouble));
    }
}

void count_number(LeaseSurvey &survey, const WantedNumber &number) noexcept {
    if (!number.is_held) return;
    survey.nearest_ms = survey.held == 0 ? number.horizon_ms : std::min(survey.nearest_ms, number.horizon_ms);
    survey.held++;
    if (!number.is_by_hand) survey.pool_held++;
}

}  // namespace

const LeaseSurvey &survey_leases(SharedLeases &leases) {
    auto &survey = *static_cast<LeaseSurvey *>(palloc0(sizeof(LeaseSurvey)));
    survey.window_ms = lease_rules().window_ms;
    survey.is_pool_wanted = pg_atomic_read_u32(&leases.is_pool_wanted) != 0;
    survey.numbers = static_cast<WantedNumber *>(palloc(max_leases * sizeof(WantedNumber)));
    copy_numbers(leases, survey);
    survey.registry = registry_for_reader(leases);
    survey.keeper = keeper_state(survey.registry.keeper_pid, pg_atomic_read_u32(&leases.failed_starts));
    std::sort(survey.numbers, survey.numbers + survey.count, is_below);
    for (uint32 i = 0; i < survey.count; i++) count_number(survey, survey.numbers[i]);
    return survey;
}

}  // namespace idgen::pg
