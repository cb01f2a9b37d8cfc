// Why a number cannot be drawn from, and what idgen.status() looks at of the numbers of this server.
#include "registry/node/held/leases.hpp"

#include <algorithm>

#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"
#include "registry/node/held/lease_gate.hpp"

namespace idgen::pg {

const char *words_of(KeeperState keeper) {
    switch (keeper) {
        case KeeperState::locked:
            return "process that keeps the shards of this server waits for a lock";
        case KeeperState::starting:
            return "process that keeps the shards of this server is still starting";
        case KeeperState::failing:
            return "process that keeps the shards of this server ends as it starts";
        case KeeperState::runs:
        case KeeperState::none:
            break;
    }
    return "process that keeps the shards of this server does not run";
}

const char *advice_for(KeeperState keeper, int32 pid) {
    switch (keeper) {
        case KeeperState::locked:
            return psprintf("SELECT pg_blocking_pids(%d) says who holds it.", pid);
        case KeeperState::starting:
            return "Try again. If it stays so, the server's log says more; or its database, idgen.lease_database, is locked.";
        case KeeperState::failing:
            return psprintf("The server's log says why. It works in database \"%s\", idgen.lease_database.",
                            lease_settings.database);
        case KeeperState::runs:
        case KeeperState::none:
            break;
    }
    return keeper_hint();
}

namespace {

// Why no ID can be made with a number, as far as this process can know.
enum class LeaseTrouble : uint8 {
    no_registry,  // none is set
    no_keeper,    // nothing keeps numbers, as `keeper` says
    // Waiting may help.
    said,        // `sentence` says it
    asking,      // the keeper waits for the first answer
    unanswered,  // no call has succeeded
    waiting,     // the registry answers, and has not granted it yet
    begins,      // it is held, and its IDs begin later
};

struct NotHeld {
    LeaseTrouble trouble;
    KeeperState keeper;
    const char *sentence;  // of the keeper
    bool is_of_number;     // it is of that number alone
    int32 keeper_pid;
    int64 answered_ms;
    int64 begins_ms;
};

LeaseTrouble trouble_of(const RegistryState &registry, KeeperState keeper) noexcept {
    if (keeper != KeeperState::runs) return LeaseTrouble::no_keeper;
    if (registry.trouble[0] != '\0') return LeaseTrouble::said;
    if (registry.answered_ms != 0) return LeaseTrouble::waiting;
    return registry.silent_since_ms == 0 ? LeaseTrouble::asking : LeaseTrouble::unanswered;
}

// What is said of the number itself comes before what is said of all.
LeaseTrouble trouble_of(const NumberState &number, LeaseTrouble of_all) {
    // If no keeper works now, what the last one said of the number is old.
    if (of_all == LeaseTrouble::no_keeper) return of_all;
    if (number.trouble[0] != '\0') return LeaseTrouble::said;
    bool is_later = of_all == LeaseTrouble::waiting && number.begins_ms > wall_ms();
    return is_later ? LeaseTrouble::begins : of_all;
}

// What a keeper said, kept until it is reported.
struct Said {
    RegistryState registry;
    NumberState number;
};

NotHeld why_not(SharedLeases &leases, const AwaitedNumber &awaited, Said &said) {
    said.registry = registry_for_reader(leases);
    said.number = awaited.is_of_pool ? look_at_pool(leases) : look_at_number(leases, awaited.number);
    hide_trouble(said.number.trouble);
    const RegistryState &registry = said.registry;
    KeeperState keeper = keeper_state(registry.keeper_pid, pg_atomic_read_u32(&leases.failed_starts));
    LeaseTrouble of_all = trouble_of(registry, keeper);
    bool is_of_number = said.number.trouble[0] != '\0';
    return {trouble_of(said.number, of_all),
            keeper,
            is_of_number ? said.number.trouble : registry.trouble,
            is_of_number,
            registry.keeper_pid,
            registry.answered_ms,
            said.number.begins_ms};
}

const char *cause_text(const NotHeld &why) {
    switch (why.trouble) {
        case LeaseTrouble::no_registry:
            return "idgen.shards is \"lease\", and idgen.registry is not set.";
        case LeaseTrouble::no_keeper:
            return psprintf("The %s.", words_of(why.keeper));
        case LeaseTrouble::said:
            return psprintf("The keeper of its shards says: %s.", why.sentence);
        case LeaseTrouble::asking:
            return "The keeper of its shards waits for the registry's first answer.";
        case LeaseTrouble::unanswered:
            return "The registry has not answered yet, or has refused.";
        case LeaseTrouble::begins:
            return psprintf("The registry had granted the shard up to %s: its next IDs begin there.",
                            instant_text(why.begins_ms));
        case LeaseTrouble::waiting:
            break;
    }
    return psprintf("The registry last answered at %s, and has not granted it yet.", instant_text(why.answered_ms));
}

const char *detail_of(const NotHeld &why, int64 waited_ms) {
    bool waits = why.trouble > LeaseTrouble::no_keeper || why.keeper != KeeperState::none;
    if (!waits || waited_ms < 0) return cause_text(why);
    return psprintf("%s Waited for %s.", cause_text(why), duration_text(waited_ms));
}

const char *advice_for(const NotHeld &why) {
    if (why.trouble == LeaseTrouble::no_registry) return registry_hint(no_registry_hint);
    if (why.trouble == LeaseTrouble::no_keeper) return advice_for(why.keeper, why.keeper_pid);
    return see_registry_hint;
}

// The row of idgen.status() that is of the number, or of what all numbers come from.
const char *row_of(const NotHeld &why) {
    if (why.trouble == LeaseTrouble::no_registry) return "shards";
    bool is_of_number = why.trouble >= LeaseTrouble::waiting || (why.trouble == LeaseTrouble::said && why.is_of_number);
    return is_of_number ? "lease" : "registry";
}

Refusal refusal_of(const AwaitedNumber &awaited, const NotHeld &why, int64 waited_ms) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            awaited.is_of_pool
                ? "this server holds no shard from the registry"
                : psprintf("shard %u cannot be used now: the registry has not granted it", awaited.number),
            detail_of(why, waited_ms), advice_for(why), row_of(why)};
}

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

Refusal refusal_of_number(SharedLeases &leases, const AwaitedNumber &awaited, int64 waited_ms) {
    Said said;
    NotHeld why{LeaseTrouble::no_registry, KeeperState::none, "", false, 0, 0, 0};
    if (has_registry()) why = why_not(leases, awaited, said);
    return refusal_of(awaited, why, waited_ms);
}

bool may_be_granted(SharedLeases &leases, const AwaitedNumber &awaited) {
    Said said;
    if (!has_registry()) return false;
    LeaseTrouble trouble = why_not(leases, awaited, said).trouble;
    bool is_silent = said.registry.silent_since_ms != 0;
    return !is_silent && (trouble == LeaseTrouble::asking || trouble == LeaseTrouble::waiting);
}

const LeaseSurvey &survey_leases(SharedLeases &leases) {
    auto &survey = *static_cast<LeaseSurvey *>(palloc0(sizeof(LeaseSurvey)));
    survey.window_ms = lease_rules().window_ms;
    survey.is_pool_wanted = pg_atomic_read_u32(&leases.is_pool_wanted) != 0;
    survey.numbers = static_cast<WantedNumber *>(palloc(max_leases * sizeof(WantedNumber)));
    copy_numbers(leases, survey);
    survey.registry = registry_for_reader(leases);
    survey.keeper = keeper_state(survey.registry.keeper_pid, pg_atomic_read_u32(&leases.failed_starts));
    std::sort(survey.numbers, survey.numbers + survey.count, is_below);
    for (uint32 i = 0; i < survey.count; i++) {
        count_number(survey, survey.numbers[i]);
        hide_trouble(survey.numbers[i].trouble);
    }
    hide_trouble(survey.pool_trouble);
    return survey;
}

}  // namespace idgen::pg
