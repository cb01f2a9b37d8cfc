// Facts of numbers from a registry: those that are held, and the registry.
#include "pg/monitor/facts.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

// Which of the numbers that are wanted a list is of.
using Which = bool (*)(const WantedNumber &number);

bool is_chosen(const WantedNumber &number) noexcept {
    return number.is_held && !number.is_by_hand;
}
bool is_granted(const WantedNumber &number) noexcept {
    return number.is_held && number.is_by_hand;
}
bool is_missing(const WantedNumber &number) noexcept {
    return !number.is_held;
}

// Appends "3, 4"; false where there are no such numbers.
bool append_numbers(StringInfo text, const LeaseSurvey &leases, Which which) {
    bool is_first = true;
    for (uint32 i = 0; i < leases.count; i++) {
        if (!which(leases.numbers[i])) continue;
        appendStringInfo(text, "%s%lld", is_first ? "" : ", ",
                         static_cast<long long>(leases.numbers[i].number));
        is_first = false;
    }
    return !is_first;
}

const char *lead_text(int64 lead_ms) {
    return lead_ms < 0 ? psprintf("%s behind", seconds_text(-lead_ms))
                       : psprintf("%s ahead of", seconds_text(lead_ms));
}

bool lacks_pool(const LeaseSurvey &leases) noexcept {
    return leases.is_pool_wanted && leases.pool_held == 0;
}

// The numbers, and how far they reach.
const char *lease_text(const LeaseSurvey &leases, int64 now_ms) {
    StringInfoData text;
    initStringInfo(&text);
    if (append_numbers(&text, leases, is_chosen)) appendStringInfoString(&text, " chosen by the registry; ");
    if (append_numbers(&text, leases, is_granted)) appendStringInfoString(&text, " by hand; ");
    if (append_numbers(&text, leases, is_missing)) appendStringInfoString(&text, " not held; ");
    if (lacks_pool(leases)) appendStringInfoString(&text, "none chosen by the registry yet; ");
    if (leases.held == 0) return pnstrdup(text.data, static_cast<size_t>(text.len) - 2);
    appendStringInfo(&text, "horizon %s the clock", lead_text(leases.nearest_ms - now_ms));
    return text.data;
}

// "X; why", or X where nothing is said.
const char *with_trouble(const char *text, const RegistryState &registry) {
    return registry.trouble[0] == '\0' ? text : psprintf("%s; %s", text, registry.trouble);
}

const char *answered_text(const RegistryState &registry) {
    return psprintf("answered last at %s", instant_text(registry.answered_ms));
}

// A call fails that is not answered, and one that is refused.
const char *silence_text(const RegistryState &registry) {
    const char *since = instant_text(registry.silent_since_ms);
    return registry.answered_ms == 0
               ? psprintf("calls fail since %s, and none has succeeded since the server started", since)
               : psprintf("calls fail since %s, the last one before succeeded at %s", since,
                          instant_text(registry.answered_ms));
}

// Of a registry that nothing asks.
Fact keeper_fact(const LeaseSurvey &leases) {
    switch (leases.keeper) {
        case KeeperState::runs:
            break;
        case KeeperState::locked:
            return {"registry", "not asked: the process that keeps the numbers waits for a lock", false,
                    psprintf("SELECT pg_blocking_pids(%d) says who holds it.", leases.registry.keeper_pid)};
        case KeeperState::starting:
            return {
                "registry", "not asked: the process that keeps the numbers is still starting", false,
                "Look again. If it stays so, the log says more; or its database, idgen.lease_database, is "
                "locked."};
        case KeeperState::failing:
            return {"registry", "not asked: the process that keeps the numbers ends as it starts", false,
                    "The server's log says why. Its database, idgen.lease_database, must be there."};
        case KeeperState::none:
            return {"registry", "not asked: the process that keeps the numbers does not run", false,
                    keeper_hint};
    }
    return no_fact;
}

}  // namespace

const char *chosen_numbers(const LeaseSurvey &leases) {
    StringInfoData text;
    initStringInfo(&text);
    append_numbers(&text, leases, is_chosen);
    return text.data;
}

Fact lease_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    if (!leases.has_registry) return no_fact;
    if (survey.in_recovery) return {"lease", "none: a standby takes no numbers", true, nullptr};
    bool is_lacking = leases.held < leases.count || lacks_pool(leases);
    if (leases.count == 0 && !is_lacking)
        return {"lease", "no number yet: the first ID asks for one", true, nullptr};
    const char *text = lease_text(leases, survey.now_ms);
    if (is_lacking)
        return {"lease", text, false, "IDs of a number wait until the registry grants it: see row registry."};
    // A keeper that is answered extends it when half of the window is left.
    if (leases.nearest_ms - survey.now_ms < leases.window_ms / 4)
        return {"lease", text, false, "IDs end at the horizon unless it is extended: see row registry."};
    return {"lease", text, true, nullptr};
}

Fact registry_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    const RegistryState &registry = leases.registry;
    if (!leases.has_registry) return no_fact;
    if (survey.in_recovery) return {"registry", "not asked: a standby takes no numbers", true, nullptr};
    if (leases.keeper != KeeperState::runs) return keeper_fact(leases);
    if (registry.silent_since_ms != 0)
        return {"registry", with_trouble(silence_text(registry), registry), false,
                "See whether it runs, can be reached from here, and admits this server. IDs go on to the "
                "horizon of row lease."};
    const char *text = registry.answered_ms == 0 ? "not asked yet" : answered_text(registry);
    if (registry.trouble[0] == '\0') return {"registry", text, true, nullptr};
    return {"registry", with_trouble(text, registry), false,
            "docs/registry.md says what to do; the server's log may say more."};
}

}  // namespace idgen::pg
