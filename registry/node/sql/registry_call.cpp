#include "registry/node/sql/registry_call.hpp"

#include "pg/report/preload.hpp"
#include "registry/node/held/leases.hpp"
#include "registry/node/keep/open_registry.hpp"

namespace idgen::lease {

namespace {

constexpr int64 answer_ms = 10000;

}  // namespace

const char *setting(const char *name) {
    const char *value = GetConfigOption(name, true, false);
    return value == nullptr ? "" : value;
}

Registry open_configured() {
    const char *address = setting("idgen.registry");
    if (*address == '\0')
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.registry is not set"),
                errdetail("It names the registry from which this server claims its shards."),
                errhint("%s", pg::registry_hint("Set it, such as: ALTER SYSTEM SET idgen.registry = "
                                                "'postgresql://node@host/registry', and restart.")));
    Registry registry;
    Trouble trouble;
    if (!open_registry(address, answer_ms, registry, trouble))
        ereport(
            ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("idgen.registry is not the address of a registry"),
            errdetail("The reason: %s.", trouble.sentence),
            errhint(
                "An address is postgresql://user@host:port/database, or etcd://host:port,host:port/prefix, with TLS etcds://."));
    return registry;
}

void require_answer(Reply reply, const Trouble &trouble) {
    CHECK_FOR_INTERRUPTS();
    if (reply == Reply::answered) return;
    auto detail = [&trouble] {
        if (!pg::may_see_address()) return errdetail("Members of pg_monitor see the reason.");
        return errdetail("The reason: %s.", trouble.sentence);
    };
    if (reply == Reply::foreign)
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("the registry is not the one that was asked for"), detail(),
            errhint(
                "Check idgen.registry; or, if the registry is new, call idgen_lease.advance_registry() there, then idgen_lease.confirm_registry() on each node."));
    if (reply == Reply::locked)
        ereport(ERROR, errcode(ERRCODE_LOCK_NOT_AVAILABLE), errmsg("another transaction at the registry locks the row"),
                detail(), errhint("Call again when it has ended: pg_locks of the registry's server shows it."));
    if (reply == Reply::silent)
        ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE), errmsg("the registry did not answer"), detail(),
                errhint("Check that the registry runs and can be reached from here, and call again."));
    ereport(
        ERROR, errcode(ERRCODE_SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION),
        errmsg("the registry refused the call"), detail(),
        errhint(
            "Correct that in the registry, or in idgen.registry. What only the owner of a PostgreSQL registry may do, the owner calls there, in schema idgen_registry."));
}

void require_superuser(const char *function, const char *detail) {
    if (!superuser())
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", function),
                errdetail("%s", detail), errhint("Have a superuser call it."));
}

}  // namespace idgen::lease
