#include "registry/node/rules/registry_row.hpp"

#include <algorithm>

namespace idgen {
namespace {

std::int64_t lease_end(const RegistryTerms &terms) noexcept {
    return terms.ttl_ms == 0 ? INT64_MAX : terms.now_ms + terms.ttl_ms;
}

bool is_holder(const RegistryRow &row, const LeaseCall &call) noexcept {
    return row.incarnation != 0 && row.incarnation == call.incarnation && row.life == call.life;
}

CallOutcome claim(RegistryRow &row, const LeaseCall &call, const RegistryTerms &terms) noexcept {
    bool is_own = row.incarnation == call.incarnation || row.incarnation == call.proposed;
    bool is_free = row.incarnation == 0 || row.lease_end_ms <= terms.now_ms;
    if (!is_own && !is_free) return CallOutcome::refused;
    row = {call.proposed, call.life, row.horizon_ms, row.horizon_ms, lease_end(terms)};
    return CallOutcome::granted;
}

CallOutcome extend(RegistryRow &row, const LeaseCall &call, const RegistryTerms &terms) noexcept {
    bool is_done = row.horizon_ms == call.to_ms && row.claimed_ms <= call.from_ms;
    bool is_as_known = row.horizon_ms == call.from_ms || is_done;
    if (!is_holder(row, call) || !is_as_known) return CallOutcome::refused;
    if (!is_done && call.to_ms > terms.now_ms + terms.max_ahead_ms) return CallOutcome::too_far;
    row.horizon_ms = std::max(row.horizon_ms, call.to_ms);
    row.lease_end_ms = lease_end(terms);
    return CallOutcome::granted;
}

CallOutcome stop(RegistryRow &row, const LeaseCall &call) noexcept {
    if (!is_holder(row, call) || row.horizon_ms != call.from_ms) return CallOutcome::refused;
    row.horizon_ms = std::max(call.to_ms, row.claimed_ms);
    release(row);
    return CallOutcome::granted;
}

}  // namespace

CallAnswer execute(RegistryRow &row, const LeaseCall &call, const RegistryTerms &terms) noexcept {
    CallOutcome outcome = CallOutcome::refused;
    switch (call.kind) {
        case CallKind::claim:
            outcome = claim(row, call, terms);
            break;
        case CallKind::extend:
            outcome = extend(row, call, terms);
            break;
        case CallKind::stop:
            outcome = stop(row, call);
            break;
        case CallKind::none:
            break;
    }
    return {outcome, row.horizon_ms, terms.now_ms, terms.max_ahead_ms};
}

void release(RegistryRow &row) noexcept {
    row.incarnation = 0;
    row.life = 0;
}

void advance(RegistryRow &row, std::int64_t to_ms) noexcept {
    release(row);
    row.horizon_ms = std::max(row.horizon_ms, to_ms);
}

}  // namespace idgen
