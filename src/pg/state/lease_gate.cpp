#include "pg/state/lease_gate.hpp"

#include <algorithm>

#include "pg/state/clock_steps.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {
namespace {

SharedLeases &leases() {
    return shared_state()->leases;
}

const LeaseSettings &settings_of_leases() {
    return lease_settings;
}

ClockReading judged_clock(bool &is_accepted) {
    SharedState *state = shared_state();
    ClockReading clock = watched_clock(state);
    int64 granted_ms = 0;
    {
        ReadGuard guard(state->lock);
        directory_of(state).databases().for_each([&granted_ms](const SharedDatabase &database) {
            granted_ms = std::max(granted_ms, database.horizon.granted_ms.load());
        });
    }
    is_accepted = judge_clock(state->accepted_clock.accepted_ms, clock, granted_ms, clock_rules()).is_accepted;
    return clock;
}

void move_number(uint32 number, int64 at_ms) noexcept {
    SharedState *state = shared_state();
    Guard<LightLock> guard(state->lock);
    directory_of(state).move_number(number, at_ms);
}

int64 reached_ms() noexcept {
    SharedState *state = shared_state();
    ReadGuard guard(state->lock);
    return directory_of(state).reached_ms();
}

const LeaseGate gate{leases,      settings_of_leases, lease_rules, judged_clock,
                     move_number, reached_ms,         save_lease,  find_left_lease};

}  // namespace

void open_lease_gate() {
    *find_rendezvous_variable(lease_gate_name) = const_cast<LeaseGate *>(&gate);
}

}  // namespace idgen::pg
