#include "pg/report/report_lease.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

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
    return errdetail("%s Waited for %s.", cause_text(why), seconds_text(why.waited_ms));
}

int hint_of(const NotHeld &why) {
    switch (why.trouble) {
        case LeaseTrouble::no_registry:
            return errhint("%s", no_registry_hint);
        case LeaseTrouble::no_keeper:
            return errhint("%s", keeper_hint);
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

}  // namespace

void explain_bad_lease_range() {
    GUC_check_errdetail("It must be one number or one range, such as 0-1023.");
}

void explain_bad_registry() {
    // The value is not repeated: it may hold a password.
    GUC_check_errmsg("idgen.registry is no address of a registry");
    GUC_check_errdetail("It begins with none of postgresql://, etcd:// and etcds://.");
    GUC_check_errhint("Give one, such as postgresql://node@host/registry, or etcd://host:port/prefix.");
}

void explain_bad_ttl() {
    GUC_check_errdetail("It must be 0 or at least 5 s.");
}

void report_pool_not_held(const NotHeld &why, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this server holds no number from the registry"), detail_of(why), hint_of(why)));
}

void report_number_not_held(uint32 number, const NotHeld &why, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("number %u cannot be used now: the registry has not granted it", number), detail_of(why),
                hint_of(why)));
}

void report_too_many_numbers(uint32 number, uint32 most, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
         errmsg("number %u cannot be used: this server holds at most %u numbers from the registry", number, most),
         errdetail("It has as many: those of idgen.lease_count, and every number given by hand that a session "
                   "has drawn from since the server started."),
         errhint("Give idgen.shards at most %u numbers, in all databases together, and restart.", most)));
}

void report_region_beside_lease(int region, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("numbers from a registry have no region beside them"),
                errdetail("idgen.region is %d.", region), errhint("%s", no_region_hint)));
}

}  // namespace idgen::pg
