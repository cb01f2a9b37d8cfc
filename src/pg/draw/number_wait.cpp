#include "pg/draw/number_wait.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/preload.hpp"
#include "pg/report/words.hpp"
#include "pg/state/lease_gate.hpp"
#include "pg/state/leases.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// Why no ID can be made with a number, as far as this process can know.
enum class LeaseTrouble : uint8 {
    no_registry,  // none is set
    no_keeper,    // nothing keeps numbers
    // Waiting may help.
    keeper_starting,  // what keeps them has not begun yet
    keeper_failing,   // it ends as it starts
    keeper_locked,    // it waits for a lock
    said,             // `sentence` says it
    asking,           // the keeper waits for the first answer
    unanswered,       // no call has succeeded
    waiting,          // the registry answers, and has not granted it yet
    begins,           // it is held, and its IDs begin later
};

struct NotHeld {
    LeaseTrouble trouble;
    const char *sentence;  // of the keeper
    const char *database;  // where the keeper works
    int32 keeper_pid;
    int64 answered_ms;
    int64 begins_ms;
    int64 waited_ms;
};

// How long a session sleeps between looks.
constexpr int64 number_poll_us = 1000;

LeaseTrouble trouble_of(const RegistryState &registry, uint32 failed_starts) noexcept {
    switch (keeper_state(registry.keeper_pid, failed_starts)) {
        case KeeperState::none:
            return LeaseTrouble::no_keeper;
        case KeeperState::starting:
            return LeaseTrouble::keeper_starting;
        case KeeperState::failing:
            return LeaseTrouble::keeper_failing;
        case KeeperState::locked:
            return LeaseTrouble::keeper_locked;
        case KeeperState::runs:
            break;
    }
    if (registry.trouble[0] != '\0') return LeaseTrouble::said;
    if (registry.answered_ms != 0) return LeaseTrouble::waiting;
    return registry.silent_since_ms == 0 ? LeaseTrouble::asking : LeaseTrouble::unanswered;
}

NotHeld not_held(LeaseTrouble trouble) noexcept {
    return {trouble, "", lease_settings.database, 0, 0, 0, 0};
}

// What is said of the number itself comes before what is said of all.
LeaseTrouble trouble_of(const NumberState &number, LeaseTrouble of_all) {
    // If no keeper works now, what the last one said of the number is old.
    if (of_all <= LeaseTrouble::keeper_locked) return of_all;
    if (number.trouble[0] != '\0') return LeaseTrouble::said;
    bool is_later = of_all == LeaseTrouble::waiting && number.begins_ms > wall_ms();
    return is_later ? LeaseTrouble::begins : of_all;
}

// What a keeper said, kept until it is reported.
struct Said {
    RegistryState registry;
    NumberState number;
};

NotHeld why_not(const Source &source, int64 waited_ms, Said &said) {
    SharedLeases &leases = self.state->leases;
    said.registry = registry_for_reader(leases);
    said.number = source.follows_pool ? look_at_pool(leases) : look_at_number(leases, source.shard);
    const RegistryState &registry = said.registry;
    LeaseTrouble of_all = trouble_of(registry, pg_atomic_read_u32(&leases.failed_starts));
    bool is_of_number = said.number.trouble[0] != '\0';
    return {trouble_of(said.number, of_all),
            is_of_number ? said.number.trouble : registry.trouble,
            lease_settings.database,
            registry.keeper_pid,
            registry.answered_ms,
            said.number.begins_ms,
            waited_ms};
}

const char *cause_text(const NotHeld &why) {
    switch (why.trouble) {
        case LeaseTrouble::no_registry:
            return "idgen.shards is \"lease\", and idgen.registry is not set.";
        case LeaseTrouble::no_keeper:
            return "The process that keeps the numbers of this server does not run.";
        case LeaseTrouble::keeper_starting:
            return "The process that keeps the numbers of this server is still starting.";
        case LeaseTrouble::keeper_failing:
            return "The process that keeps the numbers of this server ends as it starts.";
        case LeaseTrouble::keeper_locked:
            return "The process that keeps the numbers of this server waits for a lock.";
        case LeaseTrouble::said:
            return psprintf("The keeper of its numbers says: %s.", why.sentence);
        case LeaseTrouble::asking:
            return "The keeper of its numbers waits for the registry's first answer.";
        case LeaseTrouble::unanswered:
            return "The registry has not answered yet, or has refused.";
        case LeaseTrouble::begins:
            return psprintf("The registry had granted the number up to %s: its next IDs begin there.",
                            instant_text(why.begins_ms));
        case LeaseTrouble::waiting:
            break;
    }
    return psprintf("The registry last answered at %s, and has not granted it yet.", instant_text(why.answered_ms));
}

int detail_of(const NotHeld &why) {
    if (why.trouble <= LeaseTrouble::no_keeper) return errdetail("%s", cause_text(why));
    return errdetail("%s Waited for %s.", cause_text(why), duration_text(why.waited_ms));
}

int hint_of(const NotHeld &why) {
    switch (why.trouble) {
        case LeaseTrouble::no_registry:
            return errhint("%s", registry_hint(no_registry_hint));
        case LeaseTrouble::no_keeper:
            return errhint("%s", keeper_hint());
        case LeaseTrouble::keeper_failing:
            return errhint("The server's log says why. It works in database \"%s\", idgen.lease_database.",
                           why.database);
        case LeaseTrouble::keeper_locked:
            return errhint("SELECT pg_blocking_pids(%d) says who holds it.", why.keeper_pid);
        case LeaseTrouble::keeper_starting:
        case LeaseTrouble::said:
        case LeaseTrouble::asking:
        case LeaseTrouble::unanswered:
        case LeaseTrouble::waiting:
        case LeaseTrouble::begins:
            break;
    }
    return errhint("SELECT * FROM idgen.status() says how the registry is; idgen.max_wait is the longest wait.");
}

[[noreturn]] void report_not_held(const Source &source, const NotHeld &why) {
    if (source.follows_pool)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this server holds no number from the registry"), detail_of(why), hint_of(why));
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("number %u cannot be used now: the registry has not granted it", source.shard), detail_of(why),
            hint_of(why));
}

// Has the keeper get what the source draws from. If the registry chooses the numbers, a shard that was named is one
// of those, or an error: the server does not ask for it.
void want(const Source &source) {
    SharedLeases &leases = self.state->leases;
    if (source.follows_pool) return want_pool(leases);
    if (settings.shards_from == ShardsFrom::lease) return require_shard(source);
    if (!want_number(leases, source.shard))
        ereport(
            ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("number %u cannot be used: this server holds at most %u numbers from the registry", source.shard,
                   max_leases),
            errdetail(
                "It holds that many already: those of idgen.lease_count, and every number given by hand that a session has used since the server started."),
            errhint("Give idgen.shards at most %u numbers, in all databases together, and restart.", max_leases));
}

}  // namespace

void wait_for_number(Source &source, Wait &wait) {
    // The next try finds slot and lease again: the lease may have come only now. A source outlives an error, too.
    source.slot.entry = nullptr;
    if (!has_registry()) report_not_held(source, not_held(LeaseTrouble::no_registry));
    // Other numbers may have come in the place of one that is gone.
    if (follow_pool(source)) return;
    want(source);
    if (waited_ms(wait) >= settings.max_wait_ms) {
        Said said;
        report_not_held(source, why_not(source, waited_ms(wait), said));
    }
    sleep_in(wait, number_poll_us);
    follow_pool(source);
}

}  // namespace idgen::pg
