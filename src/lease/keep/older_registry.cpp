#include "lease/keep/older_registry.hpp"

#include "lease/keep/number_list.hpp"
#include "pg/report/report_keeper.hpp"

namespace idgen::lease {

void OlderRegistryWatch::look_at(const Registration &registration, const NumberRange &range) {
    OlderRegistry older = find_older(leases_.granted, list_of(registration), range);
    if (older.granted_ms != 0) return tell(older);
    // advance() lifts every number, and with them those that nobody has held.
    Guard<pg::LightLock> guard(leases_.lock);
    if (registration.floor_ms >= leases_.registry.older.granted_ms) leases_.registry.older = {};
}

void OlderRegistryWatch::look_at_claim(int64 number, int64 horizon_ms) {
    int64 granted = granted_ms(leases_.granted, number);
    if (horizon_ms < granted) tell({number, granted, horizon_ms});
}

bool OlderRegistryWatch::is_told() const noexcept {
    pg::ReadGuard guard(leases_.lock);
    return leases_.registry.older.granted_ms != 0;
}

// Once, until it is over: the highest R that is known to be missing.
void OlderRegistryWatch::tell(const OlderRegistry &older) {
    bool was_told = is_told();
    {
        Guard<pg::LightLock> guard(leases_.lock);
        OlderRegistry &told = leases_.registry.older;
        if (older.granted_ms > told.granted_ms) told = older;
    }
    if (!was_told) pg::warn_older_registry(older.number, older.granted_ms, older.known_ms);
}

}  // namespace idgen::lease
