#include "pg/report/report_keeper.hpp"

#include "pg/report/instant.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {

void log_registry_away(const char *sentence, Location at) {
    ereport_at(at, LOG,
               (errmsg("numbers of this server cannot be kept now: %s", sentence),
                errdetail("IDs go on up to the horizons that the registry has granted."),
                errhint("SELECT * FROM idgen.status() says how far that is.")));
}

const char *older_registry_hint(int64 granted_ms) {
    return psprintf(
        "Advance it now, to an instant above %s: idgen_registry.advance() there, or with etcd "
        "idgen_lease.advance_registry() on a node. Until then other servers can make IDs again.",
        instant_text(granted_ms));
}

void warn_older_registry(int64 number, int64 granted_ms, int64 known_ms, Location at) {
    ereport_at(at, WARNING,
               (errcode(ERRCODE_WARNING), errmsg("the registry has lost horizons that it had granted"),
                errdetail("It granted number %lld to this server up to %s, and says %s now: it was put back to "
                          "an older state, or is new, and was not advanced.",
                          static_cast<long long>(number), instant_text(granted_ms), instant_text(known_ms)),
                errhint("%s", older_registry_hint(granted_ms))));
}

void log_registry_back(Location at) {
    ereport_at(at, LOG, (errmsg("numbers of this server are kept again")));
}

void log_number_claimed(int64 number, int64 claimed_ms, Location at) {
    ereport_at(at, LOG,
               (errmsg("this server has claimed number %lld from the registry", static_cast<long long>(number)),
                claimed_ms == 0
                    ? errdetail("Nobody has had it before.")
                    : errdetail("Its IDs begin at %s or at the clock, whichever is later.", instant_text(claimed_ms))));
}

void log_number_resumed(int64 number, int64 from_ms, Location at) {
    ereport_at(at, LOG,
               (errmsg("this server goes on with number %lld after a crash", static_cast<long long>(number)),
                errdetail("All IDs that it made before the crash lie below %s.", instant_text(from_ms))));
}

void log_leases_not_saved(Location at) {
    ereport_at(
        at, LOG,
        (errcode_for_file_access(), errmsg("could not create shared memory that outlives a crash of this server: %m"),
         errdetail("After a crash, a number given by hand waits until its horizon in the registry, at "
                   "most idgen.lease_window."),
         errhint("The server needs 100 kB in /dev/shm, in a file that no other user owns.")));
}

void log_number_lost(int64 number, Location at) {
    ereport_at(at, LOG,
               (errmsg("this server has lost number %lld to another owner", static_cast<long long>(number)),
                errdetail("The registry refused to extend its horizon: its lease was past, it was released, or a "
                          "copy of this server took it. No ID of it is made any more, and none twice.")));
}

void log_number_stopped(int64 number, int64 horizon_ms, Location at) {
    ereport_at(at, LOG,
               (errmsg("this server has stopped using number %lld", static_cast<long long>(number)),
                errdetail("All of its IDs lie below %s.", instant_text(horizon_ms))));
}

void report_no_gate(Location at) {
    ereport_at(at, FATAL,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("idgen_lease needs idgen of the same version, loaded by the server"),
                errhint("Write in postgresql.conf, joined with what is there, and restart: "
                        "shared_preload_libraries = 'idgen, idgen_lease'")));
}

}  // namespace idgen::pg
